import { z } from "zod";
import { At, Name, nextCursor, paging } from "../field.ts";
import { publishers, route } from "../route.ts";

const Texts = z.array(z.string()).readonly();

export const AgentView = z.object({
  uid: z.string(),
  key: z.string(),
  displayName: z.string(),
  runtime: z.string(),
  allow: Texts.optional().describe(
    "The skill ids that the agent is limited to; absent for all, empty for no skill.",
  ),
  pins: z.record(z.string(), z.int().min(1)),
  manifest: z.string().optional(),
  owner: z.string(),
  createdAt: At,
  updatedAt: At,
});
const agentFields = {
  displayName: z.string().max(256).optional(),
  pins: z.record(z.string().max(64), z.int().min(1)).optional(),
};
const byKey = z.strictObject({ key: Name });
const Allow = z.array(z.string().max(64)).max(10_000);
const Manifest = z.string().max(65_536);

export const agentRoutes = {
  listAgents: route({
    method: "GET",
    path: "/v1/agents",
    tag: "agents",
    summary: "List agents, ordered by key; administrators see those of all owners",
    roles: publishers,
    query: z.strictObject(paging),
    answer: z.object({ agents: z.array(AgentView).readonly(), nextCursor }),
    condition: "read",
  }),
  getMap: route({
    method: "GET",
    path: "/v1/map",
    tag: "agents",
    summary: "Show which agents may use which skills, and how often they used them",
    roles: publishers,
    query: z.strictObject({ after: Name.optional().describe("Start with the agents after this key.") }),
    answer: z.object({
      days: z.int().describe("The number of days in which uses are counted."),
      skills: z.array(z.string()).readonly(),
      agents: z
        .array(
          z.object({
            key: z.string(),
            displayName: z.string(),
            may: z.array(z.int()).readonly().describe("The positions of its skills in `skills`."),
            used: z
              .array(z.tuple([z.int(), z.int()]))
              .readonly()
              .describe("Positions in `skills`, each with the number of uses."),
          }),
        )
        .readonly()
        .describe("At most a hundred agents, by key."),
      next: z.string().optional().describe("The last of these agents, if others follow."),
    }),
    condition: "read",
  }),
  addAgent: route({
    method: "POST",
    path: "/v1/agents",
    tag: "agents",
    summary: "Add an agent",
    roles: publishers,
    body: z.strictObject({
      key: Name,
      runtime: z.string().min(1).max(128),
      owner: Name.optional(),
      ...agentFields,
      allow: Allow.optional(),
      manifest: Manifest.optional(),
    }),
    answer: AgentView,
    status: 201,
    errors: ["CONFLICT", "POLICY_DENIED", "SKILL_NOT_FOUND"],
  }),
  getAgent: route({
    method: "GET",
    path: "/v1/agents/{key}",
    tag: "agents",
    summary: "Show an agent",
    roles: publishers,
    params: byKey,
    answer: AgentView,
    condition: "read",
    errors: ["AGENT_NOT_FOUND"],
  }),
  changeAgent: route({
    method: "PUT",
    path: "/v1/agents/{key}",
    tag: "agents",
    summary: "Change an agent; omitted fields stay the same",
    roles: publishers,
    params: byKey,
    body: z.strictObject({
      runtime: z.string().min(1).max(128).optional(),
      ...agentFields,
      allow: Allow.nullable().optional(),
      manifest: Manifest.nullable().optional(),
    }),
    answer: AgentView,
    condition: "write",
    errors: ["AGENT_NOT_FOUND", "POLICY_DENIED", "SKILL_NOT_FOUND"],
  }),
  removeAgent: route({
    method: "DELETE",
    path: "/v1/agents/{key}",
    tag: "agents",
    summary: "Remove an agent with its grants and tokens",
    roles: publishers,
    params: byKey,
    answer: z.object({ key: z.string(), revoked: Texts.describe("The skills whose grants were revoked.") }),
    condition: "write",
    errors: ["AGENT_NOT_FOUND", "POLICY_DENIED"],
  }),
} as const;
