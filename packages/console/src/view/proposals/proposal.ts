import type { ProposalDecision, ProposalState } from "@skillhold/protocol";
import type { Answer } from "../../api/client.ts";
import type { Tone } from "../../ui/badge.tsx";

export type Proposal = Answer<"GET /v1/proposals">["proposals"][number];
export type ProposalDetail = Answer<"GET /v1/proposals/{proposal}">;

export const states: Readonly<Record<ProposalState, readonly [string, Tone]>> = {
  pending: ["pending", "info"],
  approved: ["approved", "good"],
  stale: ["must be rebased", "warn"],
  quarantined: ["quarantined", "bad"],
  applied: ["applied", "good"],
  rejected: ["rejected", "neutral"],
  withdrawn: ["withdrawn", "neutral"],
};

export const decisions: Readonly<Record<ProposalDecision, readonly [string, Tone]>> = {
  approve: ["approved", "good"],
  reject: ["rejected", "bad"],
  request_changes: ["requested changes", "warn"],
  comment: ["commented", "neutral"],
};

/** The lists of the inbox, and the query of each. */
export const boxes = {
  waiting: { waiting: "true" },
  open: { state: "pending,approved,stale,quarantined" },
  closed: { state: "applied,rejected,withdrawn" },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;
export type Box = keyof typeof boxes;

export function readBox(text: string): Box {
  return text === "open" || text === "closed" ? text : "waiting";
}

/** Who wrote or reviewed: an agent with its person, or a person. */
export function nameOf({ user, agent }: Proposal["author"]): string {
  if (agent === undefined) return user;
  return user === `agent:${agent}` ? agent : `${agent} for ${user}`;
}
