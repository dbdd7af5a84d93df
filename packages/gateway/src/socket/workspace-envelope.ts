import type { SkillEvent } from "@skillhold/protocol";
import { readCard, type WorkspaceNode, type WorkspaceTree } from "@skillhold/registry/workspace";

/** The header of a WebSocket upgrade that asks for envelopes. */
export const WORKSPACE_HEADER = "x-workspace-id";

/** An event of a workspace in Molecule's form. */
export interface WorkspaceEnvelope {
  readonly event: string;
  readonly workspace_id: string;
  readonly timestamp: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

type Named = Pick<WorkspaceEnvelope, "event" | "payload"> & { readonly workspace_id?: string };

/** The envelope of an event; undefined for an event that Molecule's clients do not know. */
export function envelopeOf(event: SkillEvent, tree: WorkspaceTree): WorkspaceEnvelope | undefined {
  if (!("agent" in event) || event.agent === undefined) return undefined;
  const named = nameEvent(event, tree.get(event.agent), tree);
  return named === undefined ? undefined : { workspace_id: event.agent, timestamp: event.at, ...named };
}

function nameEvent(
  event: SkillEvent,
  node: WorkspaceNode | undefined,
  tree: WorkspaceTree,
): Named | undefined {
  if (event.type === "agent.removed") return { event: "WORKSPACE_REMOVED", payload: {} };
  if (node === undefined) return undefined;
  switch (event.type) {
    case "workspace.card_updated":
      return { event: "AGENT_CARD_UPDATED", payload: { agent_card: cardOf(node) } };
    case "workspace.status_changed":
      return { event: statusNames[event.status], payload: placeOf(node) };
    case "workspace.changed":
      return event.parent === undefined
        ? { event: statusNames[node.record.status], payload: placeOf(node) }
        : expanded(event.parent, tree);
    case "workspace.task_changed":
      return {
        event: "TASK_UPDATED",
        payload: { current_task: event.task, active_tasks: node.record.health.activeTasks },
      };
    case "workspace.activity":
      return { event: "ACTIVITY_LOGGED", payload: { activity_type: event.kind, summary: event.summary } };
    default:
      return undefined;
  }
}

const statusNames = {
  new: "WORKSPACE_PROVISIONING",
  online: "WORKSPACE_ONLINE",
  degraded: "WORKSPACE_DEGRADED",
  offline: "WORKSPACE_OFFLINE",
} as const;

/** A workspace that moved below a parent. */
function expanded(parent: string, tree: WorkspaceTree): Named {
  const children = [...tree.values()]
    .filter(({ record }) => record.parent === parent)
    .map(({ agent, record }) => ({
      id: agent.key,
      name: readCard(record.card).name || agent.displayName,
    }));
  return { event: "WORKSPACE_EXPANDED", workspace_id: parent, payload: { children } };
}

function placeOf(node: WorkspaceNode): WorkspaceEnvelope["payload"] {
  const { parent, url, health } = node.record;
  return {
    url: url ?? "",
    parent_id: parent ?? null,
    error_rate: health.errorRate,
    agent_card: cardOf(node),
  };
}

function cardOf({ record }: WorkspaceNode): unknown {
  return record.card === undefined ? null : JSON.parse(record.card);
}
