import type { ActivityView, PeerView, WorkspaceView } from "@skillhold/protocol/http";
import {
  type ActivityEvent,
  readCard,
  type WorkspaceHost,
  type WorkspaceNode,
} from "@skillhold/registry/workspace";
import { z } from "zod";

const Placed = z.looseObject({ role: z.string().max(256).catch(""), tier: z.int().catch(1) });

const MAX_PROBLEMS = 50;

/** A workspace for people and for itself. */
export function workspaceView(
  { agent, record }: WorkspaceNode,
  host: WorkspaceHost | undefined,
): WorkspaceView {
  const hosted = host?.find(agent.key);
  const { name, description, skills } = readCard(record.card);
  const { parent, url, heartbeatAt, cardAt, health } = record;
  return {
    id: agent.key,
    name: name || agent.displayName,
    description,
    owner: agent.owner,
    runtime: agent.runtime,
    ...(parent === undefined ? {} : { parent }),
    ...(url === undefined ? {} : { url }),
    status: record.status,
    task: record.task,
    ...health,
    skills,
    hasFolder: hosted !== undefined,
    problems: hosted?.compose().problems.slice(0, MAX_PROBLEMS) ?? [],
    ...(heartbeatAt === undefined ? {} : { heartbeatAt }),
    ...(cardAt === undefined ? {} : { cardAt }),
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  };
}

/** A workspace for its peers. */
export function peerView({ agent, record }: WorkspaceNode): PeerView {
  const card = record.card === undefined ? null : z.json().parse(JSON.parse(record.card));
  const { role, tier } = Placed.parse(isMap(card) ? card : {});
  return {
    id: agent.key,
    name: readCard(record.card).name || agent.displayName,
    role,
    tier,
    status: record.status,
    url: record.url ?? "",
    parent_id: record.parent ?? null,
    active_tasks: record.health.activeTasks,
    agent_card: card,
  };
}

const ActivityBody = z.object({
  source_id: z.string().nullable().catch(null),
  target_id: z.string().nullable().catch(null),
  method: z.string().nullable().catch(null),
  status: z.string().catch("ok"),
  duration_ms: z.number().nullable().catch(null),
  error_detail: z.string().nullable().catch(null),
  request_body: z.json().optional(),
  response_body: z.json().optional(),
  metadata: z.json().optional(),
});

/** A recorded activity in Molecule's fields. */
export function activityView({ activity, agent, kind, summary, body, at }: ActivityEvent): ActivityView {
  return {
    id: activity,
    workspace_id: agent,
    activity_type: kind,
    summary: summary === "" ? null : summary,
    ...ActivityBody.parse(JSON.parse(body)),
    created_at: at,
  };
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
