import { removeSecret } from "@skillhold/core/secret";
import { present } from "@skillhold/host/place";
import { withState } from "@skillhold/host/store";
import { SkillError } from "@skillhold/protocol/error";
import { ownActor } from "../../actor-option.ts";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { textOption } from "../../option.ts";
import { idArgument, variableArgument } from "../../shared-option.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";

const optionSpecs = [
  { flags: "--agent <id>", summary: "delete the value for this agent" },
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [idArgument, variableArgument],
  options: optionSpecs,
  examples: ["secret remove weather API_KEY"],
  run,
});

/** Deletes a secret. */
async function run({ io, args, options }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const [skill = "", name = ""] = args;
  const scope = { skill, ...present({ agent: textOption(options, "agent") }) };
  const by = ownActor(io);
  return await withState<ExitCode>(io, async (state) => {
    await state.audit.ready();
    if (!(await removeSecret(scope, name, { by }, state)))
      throw new SkillError("PATH_NOT_FOUND", `The secret ${name} is not set for ${skill}.`, {
        hint: "Run `skillhold secret list` to see the secrets.",
      });
    if (io.json) printData(io, { ...scope, name });
    else io.err(`Deleted ${plain(name)} of ${plain(skill)}.\n`);
    return 0;
  });
}
