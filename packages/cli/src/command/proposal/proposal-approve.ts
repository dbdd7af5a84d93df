import { reviewProposal } from "@skillhold/registry/proposal";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { textOption } from "../../option.ts";
import type { ExitCode } from "../../terminal/output.ts";
import { changeProposal, proposalArgument, proposalOptions } from "./proposal-choice.ts";

const optionSpecs = [
  { flags: "--comment <text>", summary: "add a comment" },
  ...proposalOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [proposalArgument],
  options: optionSpecs,
  examples: ["proposal approve 3f2a"],
  run,
});

/** Approves a proposal that another user or an agent made. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const comment = textOption(input.options, "comment");
  return await changeProposal(input, (id, by, context) =>
    reviewProposal(id, { by, decision: "approve", comment }, context),
  );
}
