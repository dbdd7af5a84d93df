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
  { flags: "--agent <id>", summary: "the value of this agent" },
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [idArgument, variableArgument],
  options: optionSpecs,
  examples: ["secret remove weather API_KEY"],
  run,
});

/** Forgets the value of a variable. */
async function run({ io, args, options }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const [skill = "", name = ""] = args;
  const scope = { skill, ...present({ agent: textOption(options, "agent") }) };
  const by = ownActor(io);
  return await withState<ExitCode>(io, async (state) => {
    await state.audit.ready();
    if (!(await removeSecret(scope, name, { by }, state)))
      throw new SkillError("PATH_NOT_FOUND", `No value of ${name} is set for ${skill}.`, {
        hint: "`skillhold secret list` shows what is set.",
      });
    if (io.json) printData(io, { ...scope, name });
    else io.err(`${plain(name)} of ${plain(skill)} is forgotten.\n`);
    return 0;
  });
}
