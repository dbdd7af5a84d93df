import { neutralText } from "@skillhold/core/text";
import { ProposalState } from "@skillhold/protocol";
import { type ProposalPermissions, permissionsOf, recoverFolders } from "@skillhold/registry/proposal";
import { currentGeneration, openStates, type Proposal } from "@skillhold/registry/record";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { textOption } from "../../option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";
import { formatTable } from "../../terminal/table.ts";
import { count, paintFor } from "../../terminal/text.ts";
import { proposalOptions, visibleProposals } from "./proposal-choice.ts";

const optionSpecs = [
  { flags: "--all", summary: "also list proposals that were applied, rejected or withdrawn" },
  { flags: "--state <name>", summary: "list proposals in this state", choices: ProposalState.options },
  { flags: "--skill <id>", summary: "list proposals for this skill" },
  { flags: "--waiting", summary: "list proposals that wait for your decision" },
  ...proposalOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: ["proposal list", "proposal list --waiting"],
  run,
});

interface Listed {
  readonly proposal: Proposal;
  readonly may: ProposalPermissions;
}

/** Lists proposals that the user wrote or reviews. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const state = textOption(options, "state");
  const states =
    state !== undefined ? [ProposalState.parse(state)] : options["all"] === true ? undefined : openStates;
  const skill = textOption(options, "skill");
  return await withRegistry<ExitCode>(input, "read", async ({ context, actor, flags }) => {
    await recoverFolders(context.store);
    const listed: Listed[] = [];
    for await (const proposal of visibleProposals({ states, skill }, actor, context)) {
      const may = await permissionsOf(proposal, actor, context);
      if (options["waiting"] !== true || isWaiting(proposal, may)) listed.push({ proposal, may });
    }
    if (io.json) printData(io, { proposals: listed.map(({ proposal, may }) => ({ ...proposal, may })) });
    else if (listed.length > 0) await printProposals(io, listed, flags);
    else io.err("No proposals.\n");
    return 0;
  });
}

/** Whether a proposal waits for a decision of the actor. */
export function isWaiting({ state }: Proposal, may: ProposalPermissions): boolean {
  return (state === "pending" && may.approve) || (state === "approved" && may.apply);
}

async function printProposals(io: Io, listed: readonly Listed[], flags: string): Promise<void> {
  const paint = await paintFor(io.color);
  const columns = [
    { title: "ID" },
    { title: "SKILL", most: 30 },
    { title: "STATE" },
    { title: "AUTHOR", most: 24 },
    { title: "ADDS" },
    { title: "JUSTIFICATION", most: 60 },
  ];
  const rows = listed.map(({ proposal }) => {
    const { id, skill, state, author, justification } = proposal;
    const { widened } = currentGeneration(proposal);
    const adds = widened === undefined ? "?" : String(widened.length);
    return [id.slice(0, 8), skill, state, author.agent ?? author.user, adds, justification].map((cell) =>
      neutralText(cell, 200),
    );
  });
  io.out(formatTable(columns, rows, { width: io.isOutTty ? io.columns : undefined, paintTitle: paint.dim }));
  io.err(`${count(listed.length, "proposal")}. Run \`skillhold proposal show <id>${flags}\` to read one.\n`);
}
