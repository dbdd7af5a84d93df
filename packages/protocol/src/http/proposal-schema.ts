import { z } from "zod";
import { Digest } from "../id.ts";
import { ProposalDecision, ProposalKind, ProposalOrigin, ProposalState } from "../proposal.ts";
import { Actor } from "../registry-event.ts";
import { At } from "./field.ts";

const Texts = z.array(z.string()).readonly();
const Places = z.array(z.object({ file: z.string(), line: z.int().min(1) })).readonly();
const Verdict = z.enum(["block", "review", "clean"]);
const Change = z.object({ capability: z.string(), value: z.string().optional(), seen: Places });
const GranteeView = z.object({ kind: z.enum(["agent", "user"]), key: z.string() });

/** A proposal in a list. */
export const ProposalRow = z.object({
  id: z.uuid(),
  kind: ProposalKind,
  skill: z.string(),
  /** True for a skill in a folder of the gateway. */
  isFolder: z.boolean(),
  origin: ProposalOrigin,
  state: ProposalState,
  author: Actor,
  justification: z.string(),
  /** The tree hash of the content that the candidate changes; absent for a new skill. */
  base: Digest.optional(),
  candidate: Digest,
  /** 1 for the first candidate; each rebase adds one. */
  generation: z.int().min(1),
  /** The guard's verdict; absent where no guard ran. */
  verdict: Verdict.optional(),
  /** Capabilities that the base does not have; absent where no guard ran. */
  widened: Texts.optional(),
  createdAt: At,
  updatedAt: At,
  /** The session in which an agent made it. */
  session: z.string().optional(),
  /** The claimed repetition of a promoted workflow, compared with the audit log. */
  repetition: z
    .object({
      workflow: z.string(),
      claimed: z.int(),
      found: z.int(),
      verdict: z.enum(["proved", "claimed", "contradicted"]),
    })
    .optional(),
  applied: z.object({ by: Actor, at: At, revision: z.int().min(1).optional() }).optional(),
  /** What the caller may do now. */
  may: z.object({
    comment: z.boolean(),
    approve: z.boolean(),
    reject: z.boolean(),
    apply: z.boolean(),
    rebase: z.boolean(),
    withdraw: z.boolean(),
  }),
});

const Evidence = z.discriminatedUnion("kind", [
  z.object({ kind: z.enum(["text", "url", "session", "event"]), value: z.string() }),
  z.object({
    kind: z.literal("run"),
    run: z.string(),
    skill: z.string(),
    script: z.string(),
    exitCode: z.int(),
    outcome: z.string(),
    stdout: z.string().describe("The end of the output, without secrets."),
    stderr: z.string(),
  }),
]);

/** A proposal with its reviews, evidence and findings. */
export const ProposalView = ProposalRow.extend({
  evidence: z.array(Evidence).readonly(),
  reviews: z
    .array(
      z.object({
        by: Actor,
        decision: ProposalDecision,
        comment: z.string().optional(),
        candidate: Digest,
        isCurrent: z.boolean().describe("Whether the review is about the current candidate."),
        at: At,
      }),
    )
    .readonly(),
  generations: z
    .array(z.object({ base: Digest.optional(), candidate: Digest, by: Actor, at: At }))
    .readonly(),
  missingReviewers: z.array(GranteeView).readonly().describe("Required reviewers that have not approved."),
  guard: z
    .object({
      engine: z.string(),
      verdict: Verdict,
      findings: z
        .array(
          z.object({
            ruleId: z.string(),
            severity: z.enum(["block", "warn", "info"]),
            file: z.string(),
            line: z.int().min(1),
            message: z.string(),
            fix: z.string(),
            excerpt: z.string(),
            waivedBy: z.string().optional(),
          }),
        )
        .readonly(),
      widened: z.array(Change).readonly(),
      narrowed: z.array(Change).readonly(),
    })
    .optional()
    .describe("Absent where no guard ran."),
});
