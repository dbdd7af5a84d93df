import { rebaseProposal } from "@skillhold/registry/proposal";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { withMissingHook } from "../../dependency-survey.ts";
import type { ExitCode } from "../../terminal/output.ts";
import { changeProposal, proposalArgument, proposalOptions } from "./proposal-choice.ts";

const optionSpecs = [...proposalOptions] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [proposalArgument],
  options: optionSpecs,
  examples: ["proposal rebase 3f2a"],
  run,
});

/** Merges a proposal into the current content of its skill. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  return await changeProposal(
    input,
    (id, by, context) => withMissingHook(input, context, (hooked) => rebaseProposal(id, by, hooked)),
    () => "rebased and needs a new review",
  );
}
