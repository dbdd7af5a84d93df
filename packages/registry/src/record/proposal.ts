import type {
  Actor,
  Digest,
  ProposalDecision,
  ProposalKind,
  ProposalOrigin,
  ProposalState,
  SkillId,
} from "@skillhold/protocol";
import type { GuardVerdict } from "@skillhold/skill/guard";

/** A user or agent, and the token that it used. */
export type ProposalActor = Actor & { readonly token?: string | undefined };

/** A proposed content of a skill, with its reviews. */
export interface Proposal {
  /** A UUID. */
  readonly id: string;
  readonly kind: ProposalKind;
  readonly skill: SkillId;
  /** The folder of a skill outside the registry. */
  readonly folder: string | undefined;
  readonly origin: ProposalOrigin;
  readonly state: ProposalState;
  readonly author: ProposalActor;
  readonly session: string | undefined;
  readonly justification: string;
  readonly evidence: readonly ProposalEvidence[];
  /** Oldest first; the last one is reviewed and applied. A generation never changes. */
  readonly generations: readonly [ProposalGeneration, ...ProposalGeneration[]];
  /** Oldest first. */
  readonly reviews: readonly ProposalReview[];
  readonly applied: AppliedProposal | undefined;
  /** The claimed repetition of a promoted workflow, compared with the audit log. */
  readonly repetition?: Repetition | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Repetition {
  readonly workflow: string;
  readonly claimed: number;
  /** The sessions with the same steps that the log has. */
  readonly found: number;
  readonly verdict: "proved" | "claimed" | "contradicted";
}

export interface ProposalGeneration {
  /** The tree hash of the content that the candidate changes; undefined for a new skill. */
  readonly base: Digest | undefined;
  /** The tree hash of the proposed content. */
  readonly candidate: Digest;
  /** The guard's verdict at that time; undefined where no guard ran. */
  readonly verdict: GuardVerdict | undefined;
  /** Capabilities that the base does not have, as text; undefined where no guard ran. */
  readonly widened: readonly string[] | undefined;
  readonly by: Actor;
  readonly at: string;
}

export interface ProposalReview {
  readonly by: ProposalActor;
  readonly decision: ProposalDecision;
  readonly comment: string | undefined;
  /** The candidate that was reviewed. */
  readonly candidate: Digest;
  readonly at: string;
}

export interface AppliedProposal {
  readonly by: Actor;
  readonly at: string;
  /** The new revision; undefined for a skill in a folder. */
  readonly revision: number | undefined;
}

/** What the author saw: a text, an address, an event or session of the audit log, or the output of a run. */
export type ProposalEvidence =
  | { readonly kind: "text" | "url" | "session" | "event"; readonly value: string }
  | RunEvidence;

export interface RunEvidence {
  readonly kind: "run";
  readonly run: string;
  readonly skill: string;
  readonly script: string;
  readonly exitCode: number;
  readonly outcome: string;
  /** The end of the output, without secrets. */
  readonly stdout: string;
  readonly stderr: string;
}

/** The generation that is reviewed and applied. */
export function currentGeneration({ generations }: Pick<Proposal, "generations">): ProposalGeneration {
  return generations.at(-1) ?? generations[0];
}

/** The states in which a proposal can still be applied, now or after a rebase. */
export const openStates = [
  "pending",
  "approved",
  "stale",
  "quarantined",
] as const satisfies readonly ProposalState[];

export function isOpen({ state }: Pick<Proposal, "state">): boolean {
  return (openStates as readonly ProposalState[]).includes(state);
}

/** Filters for proposals; an absent field matches all. Newest first. */
export interface ProposalQuery {
  readonly states?: readonly ProposalState[] | undefined;
  readonly skill?: string | undefined;
  readonly session?: string | undefined;
  readonly candidate?: Digest | undefined;
  /** Continue after this one. */
  readonly after?: Pick<Proposal, "createdAt" | "id"> | undefined;
  readonly limit: number;
}
