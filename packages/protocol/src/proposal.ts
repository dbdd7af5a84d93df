import { z } from "zod";

/** `create` proposes a new skill, `update` a new content of one. */
export const ProposalKind = z.enum(["create", "update"]);
export type ProposalKind = z.infer<typeof ProposalKind>;

/** A proposal is open in the first four states; the others end it. */
export const ProposalState = z.enum([
  "pending",
  "approved",
  "stale",
  "quarantined",
  "applied",
  "rejected",
  "withdrawn",
]);
export type ProposalState = z.infer<typeof ProposalState>;

/** A reviewer's decision. A comment and a request for changes leave the proposal open. */
export const ProposalDecision = z.enum(["approve", "reject", "request_changes", "comment"]);
export type ProposalDecision = z.infer<typeof ProposalDecision>;

/** Where a proposal comes from; `outside` is an edit on disk that passed no review. */
export const ProposalOrigin = z.enum(["session", "api", "file", "merge", "outside", "promotion"]);
export type ProposalOrigin = z.infer<typeof ProposalOrigin>;
