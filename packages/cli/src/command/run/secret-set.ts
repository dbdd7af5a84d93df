import { declaredSecrets, setSecret } from "@skillhold/core/secret";
import { present } from "@skillhold/host/place";
import { withState } from "@skillhold/host/store";
import { SkillError } from "@skillhold/protocol/error";
import { ownActor } from "../../actor-option.ts";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { getEntry } from "../../get-entry.ts";
import { withLibrary } from "../../open.ts";
import { textOption } from "../../option.ts";
import { idArgument, placeOptions, variableArgument } from "../../shared-option.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { readPiped } from "../../terminal/piped.ts";
import { askHidden } from "../../terminal/prompt.ts";

const optionSpecs = [
  { flags: "--agent <key>", summary: "set the secret for this agent only" },
  { flags: "--force", summary: "set the secret even if the skill does not declare it" },
  ...placeOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [idArgument, variableArgument],
  options: optionSpecs,
  examples: ["secret set weather API_KEY", "secret set weather API_KEY < key.txt"],
  run,
});

/** Sets a secret of a skill. The value is piped in or typed hidden, never an argument. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const [skill = "", name = ""] = input.args;
  const scope = { skill, ...present({ agent: textOption(options, "agent") }) };
  if (options["force"] !== true) await rejectUseless(input, skill, name);
  const by = ownActor(io);
  return await withState<ExitCode>(io, async (state) => {
    await setSecret(scope, name, await readValue(io, name), { by }, state);
    if (io.json) printData(io, { ...scope, name });
    else io.err(`${plain(name)} is set for ${plain(skill)}.\n`);
    return 0;
  });
}

/** A name that the skill does not declare is most likely misspelled. */
async function rejectUseless(input: CommandInput, skill: string, name: string): Promise<void> {
  await withLibrary(input, async (opened) => {
    const entry = await getEntry(opened, skill);
    const names = declaredSecrets(entry);
    if (names.includes(name)) return;
    const declared =
      names.length === 0 ? `${skill} declares no secrets.` : `${skill} declares ${names.join(", ")}.`;
    throw new SkillError("USAGE", `The skill ${skill} does not declare ${name} and would never receive it.`, {
      hint: `${declared} Add --force to set it anyway.`,
      details: { skill, name, names },
    });
  });
}

const MAX_BYTES = 1024 * 1024;

async function readValue(io: Io, name: string): Promise<string> {
  const piped = await readPiped(io, MAX_BYTES);
  if (piped !== undefined) return decode(piped, name).replace(/\r?\n$/, "");
  const tty = await io.tty();
  try {
    const typed =
      tty === undefined ? undefined : await askHidden(tty, `Value of ${plain(name)} (hidden): `, io.signal);
    if (typed !== undefined) return typed;
  } finally {
    tty?.close();
  }
  throw new SkillError("USAGE", `No value was given for ${name}.`, {
    hint: "Pipe the value in, or run the command at a terminal and type it.",
  });
}

function decode(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new SkillError("USAGE", `The value of ${name} is not UTF-8 text.`);
  }
}
