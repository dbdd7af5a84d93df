import { SkillError } from "@skillhold/protocol/error";
import { type AgentChange, changeAgent, getAgent } from "@skillhold/registry/access";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { listOption } from "../../option.ts";
import { accessWriteOptions, agentArgument, agentOptions } from "../../shared-option.ts";
import { type OpenedRegistry, withRegistry } from "../../store.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { listIgnored, listLostPins, readAgentOptions, rejectUnknownIds } from "./agent-option.ts";

const optionSpecs = [
  ...agentOptions,
  { flags: "--allow-all", summary: "remove the limit on which skills the agent may use" },
  { flags: "--unpin <skill>", summary: "remove the pin of this skill; repeatable", repeats: true },
  { flags: "--no-manifest", summary: "remove the stored agent.yaml" },
  ...accessWriteOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [agentArgument],
  options: optionSpecs,
  examples: ["agent edit writer --allow pdf,docx", "agent edit writer --pin pdf@3 --unpin docx"],
  run,
});

/** Changes the stored fields of an agent. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const [key = ""] = input.args;
  rejectNothing(options);
  await rejectUnknownIds(readAgentOptions(input), input);
  const isDryRun = options["dryRun"] === true;
  return await withRegistry<ExitCode>(input, "change", async (opened) => {
    const { context, actor } = opened;
    const change = await readChange(key, input, opened);
    const { agent, status } = await changeAgent(key, change, { by: actor }, context);
    const lost = await listLostPins(change.pins ?? {}, opened, io);
    const notes = [...listIgnored(change.manifest), ...lost];
    if (io.json) printData(io, { agent, status, notes, isDryRun });
    else {
      const changed = isDryRun ? "would be changed" : "changed";
      io.out(`${plain(agent.key)}: ${status === "unchanged" ? status : changed}\n`);
      for (const note of notes) io.err(`note: ${plain(note)}\n`);
    }
    return 0;
  });
}

const optionNames = ["name", "runtime", "allow", "pin", "manifest", "allowAll", "unpin"];

function rejectNothing(options: CommandInput["options"]): void {
  if (options["allow"] !== undefined && options["allowAll"] === true)
    throw new SkillError("USAGE", "--allow and --allow-all exclude each other. Use one of them.");
  if (optionNames.some((name) => options[name] !== undefined)) return;
  throw new SkillError("USAGE", "No change was given.", {
    hint: "Add --name, --runtime, --allow, --allow-all, --pin, --unpin, --manifest or --no-manifest.",
  });
}

/** New pins are added to the stored pins; they do not replace them. */
async function readChange(
  key: string,
  input: CommandInput,
  { context }: Pick<OpenedRegistry, "context">,
): Promise<AgentChange> {
  const { options } = input;
  const { pins: pinned, ...given } = readAgentOptions(input);
  const unpinned = listOption(options, "unpin");
  const { pins } = await getAgent(key, context);
  const kept = Object.entries(pins).filter(([id]) => !unpinned.includes(id));
  return {
    ...given,
    ...(options["allowAll"] === true ? { allow: null } : {}),
    ...(options["manifest"] === false ? { manifest: null } : {}),
    ...(pinned === undefined && unpinned.length === 0
      ? {}
      : { pins: { ...Object.fromEntries(kept), ...pinned } }),
  };
}
