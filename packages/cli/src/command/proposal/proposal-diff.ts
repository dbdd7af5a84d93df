import { currentGeneration } from "@skillhold/registry/record";
import { diffTrees } from "@skillhold/registry/release";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";
import { count } from "../../terminal/text.ts";
import { printChanges } from "../publish/diff.ts";
import { findProposal, proposalArgument, proposalOptions } from "./proposal-choice.ts";

const optionSpecs = [...proposalOptions] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [proposalArgument],
  options: optionSpecs,
  examples: ["proposal diff 3f2a"],
  run,
});

/** Shows the changes of a proposal. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io } = input;
  return await withRegistry<ExitCode>(input, "read", async ({ context, actor }) => {
    const proposal = await findProposal(input.args[0] ?? "", actor, context);
    const { base, candidate } = currentGeneration(proposal);
    const diff = await diffTrees(base, candidate, context);
    if (io.json) printData(io, { proposal: proposal.id, skill: proposal.skill, ...diff });
    else {
      await printChanges(io, diff);
      io.err(`${proposal.skill}: ${count(diff.files.length, "changed file")}\n`);
    }
    return 0;
  });
}
