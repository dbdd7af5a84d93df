import { z } from "zod";
import { At, Name } from "../field.ts";
import { everyone, people, publishers, route } from "../route.ts";

/** Roles that act for a workspace: the agent itself, its owner, and administrators. */
const workers = ["admin", "publisher", "agent"] as const;

/** An agent card as its workspace sent it. The gateway limits its size and keeps its fields. */
const CardBody = z.record(z.string().max(256), z.json());
const Url = z.url({ protocol: /^https?$/ }).max(2048);

export const WorkspaceStatus = z.enum(["new", "online", "degraded", "offline"]);
export type WorkspaceStatus = z.infer<typeof WorkspaceStatus>;

/** The last push of an agent card to another platform. */
export const PushResult = z.strictObject({
  url: z.string().max(2048),
  at: At,
  ok: z.boolean(),
  message: z.string().max(500),
});
export type PushResult = Readonly<z.infer<typeof PushResult>>;

/** A workspace as its peers see it, with Molecule's field names. */
export const PeerView = z.object({
  id: z.string(),
  name: z.string(),
  role: z.string(),
  tier: z.int(),
  status: WorkspaceStatus,
  url: z.string(),
  parent_id: z.string().nullable(),
  active_tasks: z.int(),
  agent_card: z.json().nullable(),
});
export type PeerView = Readonly<z.infer<typeof PeerView>>;

export const WorkspaceView = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  owner: z.string(),
  runtime: z.string(),
  parent: z.string().optional(),
  url: z.string().optional(),
  status: WorkspaceStatus,
  task: z.string().describe("The current task; empty when the workspace is idle."),
  activeTasks: z.int(),
  errorRate: z.number(),
  sampleError: z.string(),
  uptimeSeconds: z.int(),
  skills: z
    .array(z.object({ id: z.string(), name: z.string(), description: z.string() }))
    .readonly()
    .describe("The skills on the agent card, in the order of the card."),
  pushes: z.array(PushResult).readonly(),
  heartbeatAt: At.optional(),
  cardAt: At.optional(),
  createdAt: At,
  updatedAt: At,
});
export type WorkspaceView = Readonly<z.infer<typeof WorkspaceView>>;

const byKey = z.strictObject({ workspace: Name });

export const workspaceRoutes = {
  registerWorkspace: route({
    method: "POST",
    path: "/registry/register",
    tag: "workspaces",
    summary: "Register the address and the agent card of a workspace, which is then online",
    roles: workers,
    body: z.strictObject({ id: Name, url: Url.optional(), agent_card: CardBody.optional() }),
    answer: z.object({ status: z.literal("registered") }),
    errors: ["AGENT_NOT_FOUND", "LIMIT_EXCEEDED"],
  }),
  updateWorkspaceCard: route({
    method: "POST",
    path: "/registry/update-card",
    tag: "workspaces",
    summary: "Replace the agent card of a workspace; its peers receive AGENT_CARD_UPDATED",
    roles: workers,
    body: z.strictObject({ workspace_id: Name, agent_card: CardBody }),
    answer: z.object({ status: z.literal("updated") }),
    errors: ["AGENT_NOT_FOUND", "LIMIT_EXCEEDED"],
  }),
  sendHeartbeat: route({
    method: "POST",
    path: "/registry/heartbeat",
    tag: "workspaces",
    summary: "Report that a workspace runs, its error rate and its current task",
    roles: workers,
    body: z.strictObject({
      workspace_id: Name,
      error_rate: z.number().min(0).max(1).optional(),
      sample_error: z.string().max(4096).optional(),
      active_tasks: z.int().min(0).max(1_000_000).optional(),
      uptime_seconds: z.number().min(0).max(1e12).optional(),
      current_task: z.string().max(4096).optional(),
      pushes: z
        .array(PushResult)
        .max(16)
        .optional()
        .describe("The last result of each push of the card to another platform."),
    }),
    answer: z.object({ status: z.literal("ok") }),
    errors: ["AGENT_NOT_FOUND"],
  }),
  listPeers: route({
    method: "GET",
    path: "/registry/{workspace}/peers",
    tag: "workspaces",
    summary: "List the siblings, the children and the parent of a workspace",
    roles: everyone,
    params: byKey,
    query: z.strictObject({ q: z.string().max(256).optional().describe("Part of a name or a role.") }),
    answer: z.array(PeerView).readonly(),
    condition: "read",
    errors: ["AGENT_NOT_FOUND"],
  }),
  addActivity: route({
    method: "POST",
    path: "/workspaces/{workspace}/activity",
    tag: "workspaces",
    summary: "Record an activity of a workspace, such as `skill_promotion`",
    roles: workers,
    params: byKey,
    body: z.strictObject({
      activity_type: z.string().regex(/^[a-z][a-z0-9_.-]{0,63}$/),
      method: z.string().max(256).optional(),
      summary: z.string().max(4096).optional(),
      status: z.string().max(64).optional(),
      source_id: z.string().max(256).optional(),
      target_id: z.string().max(256).optional(),
      duration_ms: z.number().min(0).max(1e12).optional(),
      error_detail: z.string().max(4096).optional(),
      request_body: z.json().optional(),
      response_body: z.json().optional(),
      metadata: z.record(z.string().max(256), z.json()).optional(),
    }),
    answer: z.object({
      status: z.literal("logged"),
      id: z.string().describe("The id of the activity in the audit log."),
      result: z.record(z.string(), z.json()).optional().describe("The result of the handler of this type."),
    }),
    status: 201,
    errors: ["AGENT_NOT_FOUND", "LIMIT_EXCEEDED", "POLICY_DENIED", "CONFLICT"],
  }),
  listWorkspaces: route({
    method: "GET",
    path: "/v1/workspaces",
    tag: "workspaces",
    summary: "List workspaces, ordered by id; administrators see those of all owners",
    roles: people,
    query: z.strictObject({}),
    answer: z.object({ workspaces: z.array(WorkspaceView).readonly() }),
    condition: "read",
  }),
  getWorkspace: route({
    method: "GET",
    path: "/v1/workspaces/{workspace}",
    tag: "workspaces",
    summary: "Show a workspace",
    roles: everyone,
    params: byKey,
    answer: WorkspaceView,
    condition: "read",
    errors: ["AGENT_NOT_FOUND"],
  }),
  placeWorkspace: route({
    method: "PUT",
    path: "/v1/workspaces/{workspace}",
    tag: "workspaces",
    summary: "Make an agent a workspace, or move a workspace below another parent",
    roles: publishers,
    params: byKey,
    body: z.strictObject({ parent: Name.nullable().optional(), url: Url.nullable().optional() }),
    answer: WorkspaceView,
    errors: ["AGENT_NOT_FOUND", "CONFLICT"],
  }),
} as const;
