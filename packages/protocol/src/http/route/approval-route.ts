import { z } from "zod";
import { Digest, Trust } from "../../id.ts";
import { At } from "../field.ts";
import { admins, route } from "../route.ts";

const Texts = z.array(z.string()).readonly();

/** A question that waits for a person. */
export const QuestionView = z.object({
  id: z.string(),
  askedAt: At,
  expiresAt: At,
  skill: z.string(),
  treeHash: Digest,
  trust: Trust,
  requester: z
    .object({ agent: z.string().optional(), user: z.string().optional() })
    .describe("The agent and the user for whom the run was requested."),
  origin: z.string().optional().describe("The server and address of a skill that another program serves."),
  environment: z.string().optional().describe("Identifies the installed packages that the run would use."),
  act: z.string(),
  target: z.string(),
  args: Texts,
  stdin: z.object({ bytes: z.int().min(0), digest: Digest }).optional(),
  network: z.string(),
  mounts: z.array(z.object({ source: z.string(), target: z.string(), isWritable: z.boolean() })).readonly(),
  secrets: Texts,
  sandbox: z.string(),
  session: z.string(),
  run: z.string(),
  rule: z.string(),
  reason: z.string(),
});
export type QuestionView = Readonly<z.infer<typeof QuestionView>>;

const ApprovalView = z.object({
  id: z.string(),
  skill: z.string(),
  treeHash: Digest,
  act: z.string(),
  target: z.string(),
  requester: z
    .object({ agent: z.string().optional(), user: z.string().optional() })
    .describe("The agent and the user whose runs it covers, unless it covers everyone."),
  widen: z.array(z.enum(["everyone", "arguments"])).readonly(),
  by: z.string(),
  at: At,
  expiresAt: At,
});

export const approvalRoutes = {
  listQuestions: route({
    method: "GET",
    path: "/v1/approvals",
    tag: "approvals",
    summary: "List open approval questions and valid approvals",
    roles: admins,
    answer: z.object({
      questions: z.array(QuestionView).readonly(),
      approvals: z.array(ApprovalView).readonly(),
    }),
    condition: "read",
  }),
  answerQuestion: route({
    method: "POST",
    path: "/v1/approvals/{question}",
    tag: "approvals",
    summary: "Approve once, approve this content, or deny",
    roles: admins,
    params: z.strictObject({ question: z.string().min(1).max(128) }),
    body: z.discriminatedUnion("answer", [
      z.strictObject({
        answer: z.literal("approve"),
        scope: z.enum(["once", "content"]),
        widen: z
          .array(z.enum(["everyone", "arguments"]))
          .max(2)
          .optional()
          .describe("With `content`: also cover every agent and user, or any arguments."),
      }),
      z.strictObject({ answer: z.literal("deny") }),
    ]),
    answer: z.object({ question: z.string(), answer: z.string() }),
    errors: ["QUESTION_NOT_FOUND", "CONFLICT"],
  }),
  revokeApproval: route({
    method: "DELETE",
    path: "/v1/approvals/kept/{approval}",
    tag: "approvals",
    summary: "Revoke a valid approval",
    roles: admins,
    params: z.strictObject({ approval: z.string().min(1).max(128) }),
    answer: z.object({ wasThere: z.boolean() }),
  }),
} as const;
