import { z } from "zod";
import { Digest, Trust } from "../../id.ts";
import { At, byId, Name } from "../field.ts";
import { admins, publishers, route } from "../route.ts";
import { SkillDiffView } from "../skill-schema.ts";

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
  mayAnswer: z.boolean().describe("Whether the caller is an approver of the skill."),
});
export type QuestionView = Readonly<z.infer<typeof QuestionView>>;

/** The content that a question is about. */
const QuestionContentView = z.object({
  question: z.string(),
  treeHash: Digest,
  code: z
    .object({
      path: z.string(),
      bytes: z.int().min(0).describe("The size of the whole file."),
      isCut: z.boolean().describe("Whether `text` is only the first 64 KB."),
      text: z.string().optional().describe("Absent for a binary file."),
    })
    .optional()
    .describe("The script that would run; absent if the question has none or its content is not available."),
  approved: z
    .object({ treeHash: Digest, by: z.string(), at: At })
    .optional()
    .describe("The last approved content of the same act and target of the skill."),
  changes: SkillDiffView.shape.files
    .optional()
    .describe("From the last approved content to this one; absent if either is not stored."),
});
export type QuestionContentView = Readonly<z.infer<typeof QuestionContentView>>;

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
  mayRevoke: z.boolean().describe("Whether the caller is an approver of the skill."),
});

const ApproversView = z.object({
  id: z.string(),
  approvers: Texts.describe("The named users; empty when the owner and the managers of the skill answer."),
});

export const approvalRoutes = {
  listQuestions: route({
    method: "GET",
    path: "/v1/approvals",
    tag: "approvals",
    summary:
      "List open approval questions and valid approvals of the skills that you oversee; all for administrators",
    roles: publishers,
    answer: z.object({
      questions: z.array(QuestionView).readonly(),
      approvals: z.array(ApprovalView).readonly(),
    }),
    condition: "read",
  }),
  getQuestionContent: route({
    method: "GET",
    path: "/v1/approvals/{question}/content",
    tag: "approvals",
    summary: "Show the code of an open question and its changes since the last approval",
    roles: publishers,
    params: z.strictObject({ question: z.string().min(1).max(128) }),
    answer: QuestionContentView,
    content: "skill",
    condition: "read",
    errors: ["QUESTION_NOT_FOUND", "NOT_READY", "IO_FAILED", "INTEGRITY_FAILED"],
  }),
  answerQuestion: route({
    method: "POST",
    path: "/v1/approvals/{question}",
    tag: "approvals",
    summary: "Approve once, approve this content, or deny",
    roles: publishers,
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
    errors: ["QUESTION_NOT_FOUND", "CONFLICT", "POLICY_DENIED"],
  }),
  revokeApproval: route({
    method: "DELETE",
    path: "/v1/approvals/kept/{approval}",
    tag: "approvals",
    summary: "Revoke a valid approval",
    roles: publishers,
    params: z.strictObject({ approval: z.string().min(1).max(128) }),
    answer: z.object({ wasThere: z.boolean() }),
    errors: ["POLICY_DENIED"],
  }),
  listApprovers: route({
    method: "GET",
    path: "/v1/skills/{id}/approvers",
    tag: "approvals",
    summary: "List the named approvers of a skill, for its managers",
    roles: publishers,
    params: byId,
    answer: ApproversView,
    condition: "read",
    errors: ["SKILL_NOT_FOUND"],
  }),
  putApprovers: route({
    method: "PUT",
    path: "/v1/skills/{id}/approvers",
    tag: "approvals",
    summary: "Name the users who answer approval questions of a skill; none for its owner and managers",
    roles: admins,
    params: byId,
    body: z.strictObject({ approvers: z.array(Name).max(50) }),
    answer: ApproversView,
    errors: ["SKILL_NOT_FOUND", "USER_NOT_FOUND", "POLICY_DENIED", "CONFLICT"],
  }),
} as const;
