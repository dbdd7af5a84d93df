import { z } from "zod";
import { Digest } from "../../id.ts";
import { everyone, route } from "../route.ts";

const bySession = z.strictObject({ session: z.uuid() });

const Context = z.object({
  session: z.string(),
  runtime: z.string(),
  agent: z.string().optional(),
  user: z.string().optional(),
  task: z.string().optional(),
  activeSkills: z
    .array(z.object({ id: z.string(), revision: z.int().optional(), treeHash: Digest }))
    .readonly(),
});

const Argv = z
  .array(z.string())
  .readonly()
  .optional()
  .describe("Only this command may run, without a shell.");
const Verdict = z.discriminatedUnion("verdict", [
  z.object({ verdict: z.literal("allowed"), argv: Argv }),
  z.object({ verdict: z.literal("preapproved"), skill: z.string(), argv: Argv }),
  z.object({ verdict: z.literal("default") }),
  z.object({
    verdict: z.literal("blocked"),
    tool: z.string(),
    skill: z.string().describe("The first active skill that does not allow the call."),
    allows: z.array(z.string()).readonly(),
    message: z.string(),
    hint: z.string(),
  }),
]);

/** An agent's session at the gateway: reads and runs are recorded, and policies and approvals apply. */
export const sessionRoutes = {
  openSession: route({
    method: "POST",
    path: "/v1/sessions",
    tag: "sessions",
    summary: "Open a session; it closes after half an hour without use",
    roles: everyone,
    body: z.strictObject({
      task: z.string().max(256).optional(),
      runtime: z.string().max(128).optional().describe("For a token without an agent."),
    }),
    answer: z.object({
      session: z.string(),
      instructions: z
        .string()
        .optional()
        .describe("The skills and instructions of the agent's manifest, for the system prompt."),
    }),
    status: 201,
    errors: ["RATE_LIMITED", "SKILL_NOT_FOUND"],
  }),
  closeSession: route({
    method: "DELETE",
    path: "/v1/sessions/{session}",
    tag: "sessions",
    summary: "Close a session",
    roles: everyone,
    params: bySession,
    answer: "nothing",
    status: 204,
    errors: ["SESSION_NOT_FOUND"],
  }),
  listTools: route({
    method: "GET",
    path: "/v1/sessions/{session}/tools",
    tag: "sessions",
    summary: "List the tools for a model, independent of a framework",
    roles: everyone,
    params: bySession,
    answer: z.object({
      tools: z
        .array(
          z.object({
            name: z.string(),
            description: z.string(),
            inputSchema: z.record(z.string(), z.json()),
            owner: z.string().optional(),
          }),
        )
        .readonly(),
    }),
    errors: ["SESSION_NOT_FOUND"],
  }),
  callTool: route({
    method: "POST",
    path: "/v1/sessions/{session}/tools/{tool}",
    tag: "sessions",
    summary: "Call a tool as a model would; a rejection is a response with `ok: false`",
    roles: everyone,
    params: z.strictObject({ session: z.uuid(), tool: z.string().min(1).max(256) }),
    body: z.record(z.string(), z.json()),
    answer: z.union([
      z.object({ ok: z.literal(true), text: z.string(), data: z.unknown() }),
      z.object({
        ok: z.literal(false),
        text: z.string(),
        error: z.object({ code: z.string(), message: z.string(), hint: z.string() }),
      }),
    ]),
    errors: ["SESSION_NOT_FOUND"],
  }),
  getToolContext: route({
    method: "GET",
    path: "/v1/sessions/{session}/context",
    tag: "sessions",
    summary: "Show the context of a tool call: the session, its caller and the active skills",
    roles: everyone,
    params: bySession,
    answer: Context,
    condition: "read",
    errors: ["SESSION_NOT_FOUND"],
  }),
  judgeTool: route({
    method: "POST",
    path: "/v1/sessions/{session}/verdicts",
    tag: "sessions",
    summary: "Check a tool call of the agent against the active skills; a blocked call is recorded",
    roles: everyone,
    params: bySession,
    body: z.strictObject({
      tool: z.string().min(1).max(256),
      input: z.json().optional(),
      owner: z.string().min(1).max(128).optional().describe("The skill that declares the tool."),
    }),
    answer: z.object({ verdict: Verdict, context: Context }),
    errors: ["SESSION_NOT_FOUND"],
  }),
} as const;
