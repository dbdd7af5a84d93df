import { rebaseProposal } from "@skillhold/registry/proposal";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { withMissingHook } from "../../dependency-survey.ts";

import { withRegistry } from "../../store.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";
import { findProposal, mirror, proposalArgument, proposalOptions } from "./proposal-choice.ts";

const optionSpecs = [...proposalOptions] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [proposalArgument],
  options: optionSpecs,
  examples: ["proposal rebase 3f2a"],
  run,
});

/** Merges a proposal into the current content of its skill. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io } = input;
  return await withRegistry<ExitCode>(input, "change", async ({ context, actor }) => {
    const { id } = await findProposal(input.args[0] ?? "", actor, context);
    const done = await withMissingHook(input, context, (hooked) => rebaseProposal(id, actor, hooked));
    await mirror(done, context, io);
    if (io.json) printData(io, done);
    else io.out(`${done.skill}: the proposal ${id.slice(0, 8)} is rebased and needs a new review\n`);
    return 0;
  });
}
