import { applyProposal } from "@skillhold/registry/proposal";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { withMissingHook } from "../../dependency-survey.ts";

import { withRegistry } from "../../store.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { findProposal, mirror, proposalArgument, proposalOptions } from "./proposal-choice.ts";

const optionSpecs = [...proposalOptions] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [proposalArgument],
  options: optionSpecs,
  examples: ["proposal apply 3f2a"],
  run,
});

/** Publishes the candidate of an approved proposal, or writes it to the folder of the skill. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io } = input;
  return await withRegistry<ExitCode>(input, "change", async ({ context, actor }) => {
    const { id } = await findProposal(input.args[0] ?? "", actor, context);
    const { proposal, isNew, warnings } = await withMissingHook(input, context, (hooked) =>
      applyProposal(id, actor, hooked),
    );
    await mirror(proposal, context, io);
    for (const warning of warnings) io.err(`warning: ${plain(warning)}\n`);
    const { skill, applied, folder } = proposal;
    const place = applied?.revision === undefined ? (folder ?? "") : `revision ${applied.revision}`;
    if (io.json) printData(io, { ...proposal, isNew, warnings });
    else io.out(`${skill}: ${isNew ? "applied as" : "was already applied as"} ${plain(place)}\n`);
    return 0;
  });
}
