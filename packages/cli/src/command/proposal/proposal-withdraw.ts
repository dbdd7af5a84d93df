import { withdrawProposal } from "@skillhold/registry/proposal";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";

import { withRegistry } from "../../store.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";
import { findProposal, mirror, proposalArgument, proposalOptions } from "./proposal-choice.ts";

const optionSpecs = [...proposalOptions] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [proposalArgument],
  options: optionSpecs,
  examples: ["proposal withdraw 3f2a"],
  run,
});

/** Withdraws a proposal. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io } = input;
  return await withRegistry<ExitCode>(input, "change", async ({ context, actor }) => {
    const { id } = await findProposal(input.args[0] ?? "", actor, context);
    const done = await withdrawProposal(id, actor, context);
    await mirror(done, context, io);
    if (io.json) printData(io, done);
    else io.out(`${done.skill}: the proposal ${id.slice(0, 8)} is withdrawn\n`);
    return 0;
  });
}
