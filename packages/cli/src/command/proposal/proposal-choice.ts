import { proposalFolder } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import { maySee, writeProposalFile } from "@skillhold/registry/proposal";
import type { Proposal, ProposalActor, RegistryContext } from "@skillhold/registry/record";
import type { CommandInput, OptionSpec } from "../../command.ts";
import { accessOptions, storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";

export const proposalArgument = {
  usage: "<proposal>",
  summary: "the proposal's id, or the first characters of it",
} as const;

export const proposalOptions = [...accessOptions, storeOption] as const satisfies readonly OptionSpec[];

const PAGE = 500;

/** The proposals that an actor wrote or reviews, newest first. */
export async function* visibleProposals(
  query: Pick<Parameters<RegistryContext["store"]["listProposals"]>[0], "states" | "skill">,
  by: ProposalActor,
  context: RegistryContext,
): AsyncGenerator<Proposal> {
  let after: Proposal | undefined;
  for (;;) {
    const page = await context.store.listProposals({ ...query, after, limit: PAGE });
    for (const proposal of page) if (await maySee(proposal, by, context.store, context)) yield proposal;
    after = page.at(-1);
    if (page.length < PAGE) return;
  }
}

/** The proposal with an id or the start of an id. */
export async function findProposal(
  start: string,
  by: ProposalActor,
  context: RegistryContext,
): Promise<Proposal> {
  const found: Proposal[] = [];
  for await (const proposal of visibleProposals({}, by, context))
    if (proposal.id.startsWith(start)) found.push(proposal);
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  if (first === undefined)
    throw new SkillError("PROPOSAL_NOT_FOUND", `There is no proposal ${start.slice(0, 80)}.`);
  throw new SkillError("USAGE", `The ids of ${found.length} proposals start with ${start.slice(0, 80)}.`, {
    hint: "Write more characters of the id.",
  });
}

/** Writes the proposal's file in the data folder. The store has the proposal, so a failure is only a warning. */
export async function mirror(proposal: Proposal, context: RegistryContext, io: Io): Promise<void> {
  try {
    await writeProposalFile(proposalFolder(io.env), proposal, context);
  } catch (error) {
    io.err(`warning: ${plain(error instanceof Error ? error.message : String(error))}\n`);
  }
}

/** Changes the proposal that the first argument names, writes its file again and prints it. */
export async function changeProposal(
  input: CommandInput,
  change: (id: string, by: ProposalActor, context: RegistryContext) => Promise<Proposal>,
  describe: (changed: Proposal) => string = ({ state }) => state,
): Promise<ExitCode> {
  const { io } = input;
  return await withRegistry<ExitCode>(input, "change", async ({ context, actor }) => {
    const { id } = await findProposal(input.args[0] ?? "", actor, context);
    const changed = await change(id, actor, context);
    await mirror(changed, context, io);
    if (io.json) printData(io, changed);
    else io.out(`${changed.skill}: the proposal ${id.slice(0, 8)} is ${describe(changed)}\n`);
    return 0;
  });
}
