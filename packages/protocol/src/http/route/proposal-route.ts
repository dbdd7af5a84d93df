import { z } from "zod";
import { Digest } from "../../id.ts";
import { ProposalDecision, ProposalKind, ProposalState } from "../../proposal.ts";
import { Flag, nextCursor, paging, SkillKey } from "../field.ts";
import { ProposalRow, ProposalView } from "../proposal-schema.ts";
import { everyone, people, publishers, route } from "../route.ts";
import { releaseRoutes } from "./release-route.ts";

const byProposal = z.strictObject({ proposal: z.uuid() });
const missing = ["PROPOSAL_NOT_FOUND"] as const;
const path = z.string().min(1).max(4096);
const text = z.string().max(1_048_576);

/** Files, edits or a unified diff. Edits match their old text exactly once. */
const change = {
  edits: z
    .array(z.strictObject({ path: path.optional(), old: text.min(1), new: text }))
    .min(1)
    .max(100)
    .optional(),
  files: z
    .array(z.strictObject({ path, content: text.nullable().describe("Null removes the file.") }))
    .min(1)
    .max(200)
    .optional(),
  diff: z.string().min(1).max(262_144).optional(),
};
const Evidence = z
  .array(
    z.strictObject({ kind: z.enum(["text", "url", "session", "event"]), value: z.string().min(1).max(8000) }),
  )
  .max(200)
  .optional();

/** Proposed changes of skills. Agents propose with the tools of their sessions. */
export const proposalRoutes = {
  listProposals: route({
    method: "GET",
    path: "/v1/proposals",
    tag: "proposals",
    summary: "List proposals that the caller wrote or reviews, newest first",
    roles: everyone,
    query: z.strictObject({
      ...paging,
      state: z
        .string()
        .max(200)
        .transform((list) => list.split(","))
        .pipe(z.array(ProposalState))
        .optional()
        .describe("States, separated by commas; all by default."),
      skill: SkillKey.optional(),
      waiting: Flag.optional().describe("Only those that wait for a decision of the caller."),
    }),
    answer: z.object({ proposals: z.array(ProposalRow).readonly(), nextCursor }),
    condition: "read",
  }),
  createProposal: route({
    method: "POST",
    path: "/v1/proposals",
    tag: "proposals",
    summary: "Propose a change of a skill, or a new skill",
    roles: publishers,
    body: z.strictObject({
      skill: SkillKey.optional().describe("The skill to change; leave it out to propose a new one."),
      base: Digest.optional().describe("The tree hash of the content that was read. Required with `skill`."),
      ...change,
      justification: z.string().min(1).max(100_000),
      evidence: Evidence,
    }),
    answer: z.object({
      id: z.string(),
      skill: z.string(),
      kind: ProposalKind,
      state: ProposalState,
      isNew: z.boolean().describe("False for an open proposal with the same candidate."),
      candidate: Digest,
      widened: z.array(z.string()).readonly(),
    }),
    status: 201,
    errors: [
      "SKILL_NOT_FOUND",
      "REVISION_NOT_FOUND",
      "SKILL_INVALID",
      "LIMIT_EXCEEDED",
      "CONFLICT",
      "GUARD_FAILED",
      "RESOURCE_OUTSIDE_SKILL",
    ],
  }),
  getProposal: route({
    method: "GET",
    path: "/v1/proposals/{proposal}",
    tag: "proposals",
    summary: "Show a proposal with its reviews, evidence and findings",
    roles: everyone,
    params: byProposal,
    answer: ProposalView,
    condition: "read",
    errors: missing,
  }),
  diffProposal: route({
    method: "GET",
    path: "/v1/proposals/{proposal}/diff",
    tag: "proposals",
    summary: "Show the changes of a proposal",
    roles: everyone,
    params: byProposal,
    answer: releaseRoutes.diffVersions.answer.pick({ files: true, fields: true }),
    content: "skill",
    condition: "read",
    errors: [...missing, "INTEGRITY_FAILED"],
  }),
  reviewProposal: route({
    method: "POST",
    path: "/v1/proposals/{proposal}/reviews",
    tag: "proposals",
    summary: "Approve or reject a proposal, request changes, or comment",
    roles: everyone,
    params: byProposal,
    body: z.strictObject({
      decision: ProposalDecision,
      comment: z.string().max(100_000).optional(),
      candidate: Digest.optional().describe("The candidate that was read; another one is not reviewed."),
    }),
    answer: ProposalRow,
    condition: "write",
    errors: [...missing, "PROPOSAL_STALE", "GUARD_BLOCKED", "CONFLICT", "LIMIT_EXCEEDED"],
  }),
  applyProposal: route({
    method: "POST",
    path: "/v1/proposals/{proposal}/apply",
    tag: "proposals",
    summary: "Apply an approved proposal; applying it again has no effect",
    roles: people,
    params: byProposal,
    answer: ProposalRow.extend({ warnings: z.array(z.string()).readonly() }),
    condition: "write",
    errors: [
      ...missing,
      "PROPOSAL_STALE",
      "APPROVAL_REQUIRED",
      "GUARD_BLOCKED",
      "GUARD_FAILED",
      "CONFLICT",
      "INTEGRITY_FAILED",
    ],
  }),
  rebaseProposal: route({
    method: "POST",
    path: "/v1/proposals/{proposal}/rebase",
    tag: "proposals",
    summary: "Merge a proposal into the current content of its skill; it needs a new review",
    roles: everyone,
    params: byProposal,
    answer: ProposalRow,
    condition: "write",
    errors: [...missing, "PROPOSAL_STALE", "CONFLICT", "SKILL_INVALID", "GUARD_FAILED", "INTEGRITY_FAILED"],
  }),
  withdrawProposal: route({
    method: "POST",
    path: "/v1/proposals/{proposal}/withdraw",
    tag: "proposals",
    summary: "Withdraw a proposal that the caller made",
    roles: everyone,
    params: byProposal,
    answer: ProposalRow,
    condition: "write",
    errors: [...missing, "CONFLICT"],
  }),
} as const;
