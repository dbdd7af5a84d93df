import { isAgentActor } from "../ownership/ownership.ts";
import type { Grantee } from "../record/grant.ts";
import type { ProposalActor } from "../record/proposal.ts";

/**
 * Whether an actor wrote a proposal and so may not review it. A token never reviews its own proposal. A person's proposal
 * is not reviewed by that person or an agent of that person. An agent's proposal is not reviewed by that agent or another
 * agent of the same user; the user may review it, because a person is in charge of an agent.
 */
export function isAuthor(author: ProposalActor, by: ProposalActor): boolean {
  if (author.token !== undefined && author.token === by.token) return true;
  if (author.agent !== undefined && author.agent === by.agent) return true;
  if (author.user !== by.user) return false;
  return !isAgentActor(author) || isAgentActor(by);
}

/** Whether an actor may withdraw a proposal: its author, or the user that the author acted for. */
export function mayWithdraw(author: ProposalActor, by: ProposalActor): boolean {
  return isAuthor(author, by) || (author.user === by.user && !isAgentActor(by));
}

/** The name under which an actor reviews: an agent's key, or a user's name. */
export function reviewerOf({ user, agent }: ProposalActor): Grantee {
  return agent === undefined ? { kind: "user", key: user } : { kind: "agent", key: agent };
}

export function isSameReviewer(a: Grantee, b: Grantee): boolean {
  return a.kind === b.kind && a.key === b.key;
}
