import { reviewProposal } from "@skillhold/registry/proposal";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { textOption } from "../../option.ts";
import type { ExitCode } from "../../terminal/output.ts";
import { changeProposal, proposalArgument, proposalOptions } from "./proposal-choice.ts";

const optionSpecs = [
  { flags: "--comment <text>", summary: "say why" },
  { flags: "--changes", summary: "ask for changes and leave the proposal open" },
  ...proposalOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [proposalArgument],
  options: optionSpecs,
  examples: ["proposal reject 3f2a --comment wrong"],
  run,
});

/** Rejects a proposal, or asks its author for changes. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const comment = textOption(input.options, "comment");
  const decision = input.options["changes"] === true ? "request_changes" : "reject";
  return await changeProposal(input, (id, by, context) =>
    reviewProposal(id, { by, decision, comment }, context),
  );
}
