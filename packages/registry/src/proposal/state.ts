import type { Digest, ProposalDecision, ProposalState } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { isAgentActor } from "../ownership/ownership.ts";
import type { Grantee } from "../record/grant.ts";
import {
  type AppliedProposal,
  currentGeneration,
  isOpen,
  type Proposal,
  type ProposalActor,
  type ProposalGeneration,
} from "../record/proposal.ts";
import { isAuthor, isSameReviewer, mayWithdraw, reviewerOf } from "./author.ts";

/** An act on a proposal. `current` is the tree hash of the skill now; undefined for a skill that does not exist. */
export type ProposalAct =
  | { readonly type: "review"; readonly decision: ProposalDecision; readonly comment: string | undefined }
  | { readonly type: "withdraw" }
  | { readonly type: "outdate"; readonly current: Digest | undefined }
  | { readonly type: "rebase"; readonly generation: ProposalGeneration }
  | { readonly type: "apply"; readonly current: Digest | undefined; readonly revision: number | undefined };

export interface ActContext {
  readonly by: ProposalActor;
  /** Whether the actor manages the skill; for a new skill, whether the actor is an administrator. */
  readonly isManager: boolean;
  /** Users and agents that must approve, except their own proposals. */
  readonly reviewers: readonly Grantee[];
  readonly at: string;
}

/**
 * The proposal after an act. Throws when the act is not allowed. No I/O: the caller holds the lock of the skill, and
 * writes the result in the same transaction.
 */
export function actOn(proposal: Proposal, act: ProposalAct, context: ActContext): Proposal {
  switch (act.type) {
    case "review":
      return review(proposal, act, context);
    case "withdraw":
      return withdraw(proposal, context);
    case "outdate":
      return outdate(proposal, act.current, context);
    case "rebase":
      return rebase(proposal, act.generation, context);
    case "apply":
      return apply(proposal, act, context);
  }
}

/** Whether an actor may decide on proposals of the skill, apart from being the author. */
export function mayReview({ by, isManager, reviewers }: Omit<ActContext, "at">): boolean {
  if (reviewers.some((each) => isSameReviewer(each, reviewerOf(by)))) return true;
  return isManager && !isAgentActor(by);
}

/** The required reviewers whose approval of the current candidate is missing. */
export function missingReviewers(proposal: Proposal, reviewers: readonly Grantee[]): readonly Grantee[] {
  const { author } = proposal;
  const approved = approvers(proposal);
  return reviewers.filter((each) => {
    if (each.kind === "agent" && (each.key === author.agent || isWidened(proposal))) return false;
    if (each.kind === "user" && each.key === author.user && !isAgentActor(author)) return false;
    return !approved.some((by) => isSameReviewer(by, each));
  });
}

/** Whether the candidate can do more than its base, or may be able to because no guard looked at it. */
export function isWidened(proposal: Proposal): boolean {
  const { widened } = currentGeneration(proposal);
  return widened === undefined || widened.length > 0;
}

/** The reviewers whose last decision on the current candidate is an approval. */
function approvers(proposal: Proposal): readonly Grantee[] {
  const { candidate } = currentGeneration(proposal);
  const last = new Map<string, { readonly by: Grantee; readonly decision: ProposalDecision }>();
  for (const { by, decision, candidate: reviewed } of proposal.reviews) {
    if (decision === "comment" || reviewed !== candidate || isAuthor(proposal.author, by)) continue;
    const reviewer = reviewerOf(by);
    last.set(`${reviewer.kind}:${reviewer.key}`, { by: reviewer, decision });
  }
  return [...last.values()].filter(({ decision }) => decision === "approve").map(({ by }) => by);
}

function isApproved(proposal: Proposal, reviewers: readonly Grantee[]): boolean {
  return approvers(proposal).length > 0 && missingReviewers(proposal, reviewers).length === 0;
}

function review(
  proposal: Proposal,
  { decision, comment }: Extract<ProposalAct, { readonly type: "review" }>,
  context: ActContext,
): Proposal {
  const { by, at, reviewers } = context;
  rejectEnded(proposal);
  if (decision === "comment") rejectStranger(proposal, context);
  else rejectReviewer(proposal, context);
  if (decision === "approve") rejectUnapprovable(proposal);
  const { candidate } = currentGeneration(proposal);
  const reviewed: Proposal = {
    ...proposal,
    reviews: [...proposal.reviews, { by, decision, comment, candidate, at }],
    updatedAt: at,
  };
  return { ...reviewed, state: stateAfter(reviewed, decision, reviewers) };
}

function stateAfter(
  proposal: Proposal,
  decision: ProposalDecision,
  reviewers: readonly Grantee[],
): ProposalState {
  const { state } = proposal;
  if (decision === "reject") return "rejected";
  if (state !== "pending" && state !== "approved") return state;
  return isApproved(proposal, reviewers) ? "approved" : "pending";
}

function withdraw(proposal: Proposal, { by, at }: ActContext): Proposal {
  rejectEnded(proposal);
  if (!mayWithdraw(proposal.author, by))
    throw denied(proposal, "Only the author can withdraw a proposal.", "Reject the proposal to close it.");
  return { ...proposal, state: "withdrawn", updatedAt: at };
}

/** A proposal that is already stale, has ended or has the current base stays as it is. */
function outdate(proposal: Proposal, current: Digest | undefined, { at }: ActContext): Proposal {
  const isMoved = currentGeneration(proposal).base !== current;
  if (!isOpen(proposal) || proposal.state === "stale" || !isMoved) return proposal;
  return { ...proposal, state: "stale", updatedAt: at };
}

/** Earlier approvals do not count for the new candidate. */
function rebase(proposal: Proposal, generation: ProposalGeneration, context: ActContext): Proposal {
  rejectEnded(proposal);
  rejectStranger(proposal, context);
  const state = generation.verdict === "block" ? "quarantined" : "pending";
  const generations = [...proposal.generations, generation] as const;
  // The list is not empty, because a generation was added to it.
  return {
    ...proposal,
    state,
    generations: generations as unknown as Proposal["generations"],
    updatedAt: context.at,
  };
}

function apply(
  proposal: Proposal,
  { current, revision }: Extract<ProposalAct, { readonly type: "apply" }>,
  context: ActContext,
): Proposal {
  const { by, at, isManager, reviewers } = context;
  if (proposal.state === "applied") return proposal;
  rejectEnded(proposal);
  if (!isManager || isAgentActor(by))
    throw denied(
      proposal,
      "Only a person who manages the skill can apply a proposal.",
      "Ask the owner of the skill or an administrator.",
    );
  if (proposal.state === "stale" || currentGeneration(proposal).base !== current)
    throw staleProposal(proposal);
  if (proposal.state !== "approved" || !isApproved(proposal, reviewers))
    throw unapproved(proposal, reviewers);
  const applied: AppliedProposal = { by: withoutToken(by), at, revision };
  return { ...proposal, state: "applied", applied, updatedAt: at };
}

function rejectEnded(proposal: Proposal): void {
  if (isOpen(proposal)) return;
  throw new SkillError("CONFLICT", `The proposal ${proposal.id} is ${proposal.state}.`, {
    hint: "Make a new proposal.",
    details: { proposal: proposal.id, state: proposal.state },
  });
}

function rejectUnapprovable(proposal: Proposal): void {
  if (proposal.state === "stale") throw staleProposal(proposal);
  if (proposal.state !== "quarantined") return;
  throw new SkillError("GUARD_BLOCKED", `The content guard blocks the proposal ${proposal.id}.`, {
    hint: "Reject the proposal, or have an administrator waive the findings and rebase it.",
    details: { proposal: proposal.id },
  });
}

/** Authors and reviewers take part in a proposal. */
function rejectStranger(proposal: Proposal, context: ActContext): void {
  if (mayWithdraw(proposal.author, context.by) || mayReview(context)) return;
  throw notReviewer(proposal);
}

function rejectReviewer(proposal: Proposal, context: ActContext): void {
  const { by } = context;
  if (isAuthor(proposal.author, by))
    throw denied(
      proposal,
      "The author of a proposal cannot review it.",
      "Ask another reviewer, or withdraw the proposal.",
    );
  if (!mayReview(context)) throw notReviewer(proposal);
  if (isAgentActor(by) && isWidened(proposal))
    throw denied(
      proposal,
      "An agent cannot decide on a proposal that adds capabilities to a skill.",
      "Ask a person to review the proposal.",
    );
}

function notReviewer(proposal: Proposal): SkillError {
  return denied(
    proposal,
    `You do not review proposals for ${proposal.skill}.`,
    "Ask the owner of the skill, an administrator or a named reviewer.",
  );
}

function unapproved(proposal: Proposal, reviewers: readonly Grantee[]): SkillError {
  const missing = missingReviewers(proposal, reviewers).map(({ kind, key }) => `${kind} ${key}`);
  const wanted = missing.length === 0 ? "a reviewer who is not the author" : missing.join(", ");
  return new SkillError("APPROVAL_REQUIRED", `The proposal ${proposal.id} is not approved.`, {
    hint: `The proposal needs the approval of ${wanted}.`,
    details: { proposal: proposal.id, state: proposal.state },
  });
}

export function staleProposal({ id, skill }: Pick<Proposal, "id" | "skill">): SkillError {
  return new SkillError("PROPOSAL_STALE", `The skill ${skill} changed since the proposal ${id} was made.`, {
    details: { proposal: id, skill },
  });
}

function denied({ id }: Proposal, message: string, hint: string): SkillError {
  return new SkillError("POLICY_DENIED", message, { hint, details: { proposal: id } });
}

/** The actor as events name it. */
export function withoutToken({ token: _, ...actor }: ProposalActor) {
  return actor;
}
