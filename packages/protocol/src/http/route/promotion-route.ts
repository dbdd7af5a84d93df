import { z } from "zod";
import { ProposalKind, ProposalState } from "../../proposal.ts";
import { Name } from "../field.ts";
import { ProposalRow } from "../proposal-schema.ts";
import { everyone, route } from "../route.ts";

/** Workflows that agents repeated and promote to skills. */
export const promotionRoutes = {
  promoteSkill: route({
    method: "POST",
    path: "/v1/promotions",
    tag: "proposals",
    summary: "Promote a repeated workflow of an agent to a skill, from a memory packet",
    roles: ["admin", "publisher", "agent"],
    query: z.strictObject({
      agent: Name.optional().describe("The agent; required for a token without one."),
    }),
    body: z
      .record(z.string().max(256), z.json())
      .describe(
        "`promote_to_skill: true`, `repetition_signal` with `count`, `workflow` and optionally `sessions`, and a title, summary or `what changed`.",
      ),
    answer: z.object({
      proposal: z.string(),
      skill: z.string(),
      kind: ProposalKind,
      state: ProposalState,
      draft: z.string().optional().describe("The private skill that the agent can use at once."),
      repetition: ProposalRow.shape.repetition.unwrap(),
    }),
    status: 201,
    errors: ["AGENT_NOT_FOUND", "SKILL_INVALID", "LIMIT_EXCEEDED", "CONFLICT", "GUARD_FAILED"],
  }),
  listPromotions: route({
    method: "GET",
    path: "/v1/promotions",
    tag: "proposals",
    summary: "List promotions that wait for a decision, newest first",
    roles: everyone,
    answer: z.object({
      promotions: z
        .array(
          ProposalRow.extend({
            task: z
              .string()
              .optional()
              .describe("The current task of the agent while it works on the promotion."),
          }),
        )
        .readonly(),
    }),
    condition: "read",
  }),
} as const;
