import { SkillError } from "@skillhold/protocol/error";
import type { Proposal, ProposalActor, RegistryContext } from "@skillhold/registry/record";
import { findProposal } from "../proposal/proposal-choice.ts";

export const promotionArgument = {
  usage: "<promotion>",
  summary: "the promotion's id, or the first characters of it",
} as const;

/** The proposal of a promoted workflow with an id or the start of an id. */
export async function findPromotion(
  start: string,
  by: ProposalActor,
  context: RegistryContext,
): Promise<Proposal> {
  const proposal = await findProposal(start, by, context);
  if (proposal.origin === "promotion") return proposal;
  throw new SkillError("PROPOSAL_NOT_FOUND", `The proposal ${start.slice(0, 80)} is no promotion.`, {
    hint: "Use `skillhold proposal show`.",
  });
}
