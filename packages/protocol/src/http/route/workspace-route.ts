import { z } from "zod";
import { At, Name, SkillKey } from "../field.ts";
import { admins, everyone, people, publishers, route } from "../route.ts";

/** Roles that act for a workspace: the agent itself, its owner, and administrators. */
const workers = ["admin", "publisher", "agent"] as const;

/** An agent card as its workspace sent it. The gateway limits its size and keeps its fields. */
const CardBody = z.record(z.string().max(256), z.unknown());
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
  hasFolder: z.boolean().describe("Whether the gateway hosts the folder of the workspace."),
  problems: z
    .array(
      z.object({
        severity: z.enum(["error", "warning"]),
        code: z.string(),
        subject: z.string(),
        message: z.string(),
      }),
    )
    .readonly()
    .describe("Problems of the hosted folder, such as a listed skill without a folder."),
  heartbeatAt: At.optional(),
  cardAt: At.optional(),
  createdAt: At,
  updatedAt: At,
});
export type WorkspaceView = Readonly<z.infer<typeof WorkspaceView>>;

const byKey = z.strictObject({ workspace: Name });
const byPath = z.strictObject({ workspace: Name, path: z.string().min(1).max(512) });
const fileErrors = [
  "AGENT_NOT_FOUND",
  "NOT_READY",
  "PATH_NOT_FOUND",
  "RESOURCE_OUTSIDE_SKILL",
  "LIMIT_EXCEEDED",
] as const;
const Files = z.record(z.string().max(512), z.string());

/** A recorded activity, with Molecule's field names. */
export const ActivityView = z.object({
  id: z.string(),
  workspace_id: z.string(),
  activity_type: z.string(),
  source_id: z.string().nullable(),
  target_id: z.string().nullable(),
  method: z.string().nullable(),
  summary: z.string().nullable(),
  status: z.string(),
  duration_ms: z.number().nullable(),
  error_detail: z.string().nullable(),
  request_body: z.json().optional(),
  response_body: z.json().optional(),
  metadata: z.json().optional(),
  created_at: At,
});
export type ActivityView = Readonly<z.infer<typeof ActivityView>>;

const WorkspaceBundle = z.object({
  schema: z.literal("1.0"),
  id: z.string(),
  name: z.string(),
  description: z.string(),
  tier: z.int(),
  model: z.string(),
  version: z.string(),
  system_prompt: z.string(),
  skills: z
    .array(z.object({ id: z.string(), name: z.string(), description: z.string(), files: Files }))
    .readonly(),
  agent_card: z.json().nullable(),
  files: Files.describe("Every text file by path, which `import` accepts."),
  omitted: z.int().describe("The number of files that are not text or too large."),
});

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
      request_body: z.unknown().optional(),
      response_body: z.unknown().optional(),
      metadata: z.record(z.string().max(256), z.unknown()).optional(),
    }),
    answer: z.object({
      status: z.literal("logged"),
      id: z.string().describe("The id of the activity in the audit log."),
      result: z.record(z.string(), z.json()).optional().describe("The result of the handler of this type."),
    }),
    status: 201,
    errors: ["AGENT_NOT_FOUND", "LIMIT_EXCEEDED", "POLICY_DENIED", "CONFLICT"],
  }),
  listActivities: route({
    method: "GET",
    path: "/workspaces/{workspace}/activity",
    tag: "workspaces",
    summary: "List the activities of a workspace, newest first",
    roles: workers,
    params: byKey,
    query: z.strictObject({
      type: z.string().max(64).optional().describe("Only activities of this type."),
      limit: z
        .string()
        .regex(/^(?:[1-9]\d?|[1-4]\d\d|500)$/)
        .transform(Number)
        .optional()
        .describe("1 to 500; 100 by default."),
    }),
    answer: z.array(ActivityView).readonly(),
    condition: "read",
    errors: ["AGENT_NOT_FOUND"],
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
  addWorkspaceSkill: route({
    method: "POST",
    path: "/v1/workspaces/{workspace}/skills",
    tag: "workspaces",
    summary: "Copy a skill into the folder of a workspace and its config.yaml, or grant it without a folder",
    roles: publishers,
    params: byKey,
    body: z.strictObject({ skill: SkillKey }),
    answer: WorkspaceView.extend({
      drop: z
        .enum(["copied", "granted", "pending"])
        .describe("`pending`: the owner of the agent must consent to the grant."),
    }),
    content: "skill",
    errors: ["AGENT_NOT_FOUND", "SKILL_NOT_FOUND", "NOT_READY", "CONFIG_INVALID", "RESOURCE_OUTSIDE_SKILL"],
  }),
  removeWorkspaceSkill: route({
    method: "DELETE",
    path: "/v1/workspaces/{workspace}/skills/{skill}",
    tag: "workspaces",
    summary: "Remove a skill from the list in config.yaml; its folder stays",
    roles: publishers,
    params: z.strictObject({ workspace: Name, skill: SkillKey }),
    answer: WorkspaceView,
    errors: ["AGENT_NOT_FOUND", "SKILL_NOT_FOUND", "NOT_READY", "CONFIG_INVALID"],
  }),
  listWorkspaceFiles: route({
    method: "GET",
    path: "/workspaces/{workspace}/files",
    tag: "workspaces",
    summary: "List the files of a workspace's folder",
    roles: workers,
    params: byKey,
    query: z.strictObject({
      root: z.enum(["/configs"]).optional().describe("The folder of the workspace; the only root here."),
      path: z.string().max(512).optional(),
      depth: z
        .string()
        .regex(/^[1-5]$/)
        .transform(Number)
        .optional()
        .describe("1 to 5 levels; 1 by default."),
    }),
    answer: z.array(z.object({ path: z.string(), size: z.int(), dir: z.boolean() })).readonly(),
    condition: "read",
    errors: fileErrors,
  }),
  readWorkspaceFile: route({
    method: "GET",
    path: "/workspaces/{workspace}/files/{path}",
    tag: "workspaces",
    summary: "Read a text file of a workspace",
    roles: workers,
    params: byPath,
    answer: z.object({ path: z.string(), content: z.string() }),
    content: "skill",
    condition: "read",
    errors: fileErrors,
  }),
  writeWorkspaceFile: route({
    method: "PUT",
    path: "/workspaces/{workspace}/files/{path}",
    tag: "workspaces",
    summary: "Write a text file of a workspace; an invalid config.yaml is rejected",
    roles: publishers,
    params: byPath,
    body: z.strictObject({ content: z.string() }),
    answer: z.object({ status: z.literal("saved"), path: z.string() }),
    errors: [...fileErrors, "CONFIG_INVALID"],
  }),
  removeWorkspaceFile: route({
    method: "DELETE",
    path: "/workspaces/{workspace}/files/{path}",
    tag: "workspaces",
    summary: "Delete a file or folder of a workspace",
    roles: publishers,
    params: byPath,
    answer: z.object({ status: z.literal("deleted"), path: z.string() }),
    errors: fileErrors,
  }),
  exportWorkspace: route({
    method: "GET",
    path: "/bundles/export/{workspace}",
    tag: "workspaces",
    summary: "Export a workspace with its text files and skills as one JSON document",
    roles: publishers,
    params: byKey,
    answer: WorkspaceBundle,
    content: "skill",
    condition: "read",
    errors: fileErrors,
  }),
  importWorkspace: route({
    method: "POST",
    path: "/bundles/import",
    tag: "workspaces",
    summary: "Write the files of an exported workspace into the folder of an agent",
    roles: admins,
    body: z.strictObject({ id: Name, files: Files }),
    answer: z.object({ status: z.literal("imported"), id: z.string(), files: z.int() }),
    errors: [...fileErrors, "CONFIG_INVALID", "CONFLICT"],
  }),
  getWorkspaceCard: route({
    method: "GET",
    path: "/workspaces/{workspace}/.well-known/agent-card.json",
    tag: "workspaces",
    summary: "The signed A2A agent card of a workspace, with the skills that the caller may see",
    roles: "anyone",
    params: byKey,
    query: z.strictObject({
      version: z
        .enum(["1.0", "0.3"])
        .optional()
        .describe("The version of A2A; by default the header A2A-Version, or 1.0."),
    }),
    answer: z.record(z.string(), z.json()),
    condition: "read",
    errors: ["AGENT_NOT_FOUND"],
  }),
  listCardKeys: route({
    method: "GET",
    path: "/.well-known/jwks.json",
    tag: "workspaces",
    summary: "The public keys that verify agent cards, as a JSON Web Key Set",
    roles: "anyone",
    answer: z.object({ keys: z.array(z.record(z.string(), z.string())).readonly() }),
    condition: "read",
  }),
} as const;
