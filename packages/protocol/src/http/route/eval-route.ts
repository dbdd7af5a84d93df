import { z } from "zod";
import { EvalReportBody, EvalSummary, ProposalEvals } from "../eval-schema.ts";
import { byId, nextCursor, paging, SkillKey } from "../field.ts";
import { people, publishers, route } from "../route.ts";

/** Evals: results by the content that they measure. */
export const evalRoutes = {
  listEvals: route({
    method: "GET",
    path: "/v1/skills/{id}/evals",
    tag: "evals",
    summary: "Eval results of a skill, newest first",
    roles: people,
    params: byId,
    query: z.strictObject(paging),
    answer: z.object({
      evals: z
        .array(
          EvalSummary.extend({
            revisions: z.array(z.int().min(1)).readonly().describe("The revisions with this content."),
          }),
        )
        .readonly(),
      nextCursor,
    }),
    condition: "read",
    errors: ["SKILL_NOT_FOUND", "REVISION_NOT_FOUND"],
  }),
  getEval: route({
    method: "GET",
    path: "/v1/skills/{id}/evals/{report}",
    tag: "evals",
    summary: "An eval result with its runs and queries",
    roles: people,
    params: z.strictObject({ id: SkillKey, report: z.string().min(1).max(64) }),
    answer: z.object({ id: z.string(), by: z.string(), report: EvalReportBody }),
    condition: "read",
    errors: ["SKILL_NOT_FOUND", "REVISION_NOT_FOUND", "EVAL_NOT_FOUND"],
  }),
  addEval: route({
    method: "POST",
    path: "/v1/skills/{id}/evals",
    tag: "evals",
    summary: "Add an eval result that was measured elsewhere",
    roles: publishers,
    params: byId,
    body: EvalReportBody,
    answer: EvalSummary,
    status: 201,
    errors: ["SKILL_NOT_FOUND", "REVISION_NOT_FOUND"],
  }),
  scoreTriggers: route({
    method: "POST",
    path: "/v1/skills/{id}/evals/triggers",
    tag: "evals",
    summary: "Rank the current revision for its own trigger queries, by search alone",
    roles: publishers,
    params: byId,
    answer: EvalSummary,
    status: 201,
    errors: ["SKILL_NOT_FOUND", "REVISION_NOT_FOUND", "EVAL_NOT_FOUND", "NOT_READY"],
  }),
  getProposalEvals: route({
    method: "GET",
    path: "/v1/proposals/{proposal}/evals",
    tag: "evals",
    summary: "How a proposed content does beside its base",
    roles: people,
    params: z.strictObject({ proposal: z.uuid() }),
    answer: ProposalEvals,
    condition: "read",
    errors: ["PROPOSAL_NOT_FOUND"],
  }),
} as const;
