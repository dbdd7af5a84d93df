import { SkillError } from "@skillhold/protocol/error";
import {
  addActivity,
  listActivities,
  peersOf,
  placeWorkspace,
  putHeartbeat,
  readWorkspaces,
  registerWorkspace,
  updateCard,
  type WorkspaceNode,
} from "@skillhold/registry/workspace";
import { getAgentFor, isAgentOf } from "../auth/agent-owner.ts";
import { type Principal, principalActor } from "../auth/principal.ts";
import type { Handlers } from "../http/handler.ts";
import type { CatalogueContext } from "../running-context.ts";
import { activityHandlers } from "../workspace/activity-kind.ts";
import { activityView, peerView, workspaceView } from "../workspace/workspace-view.ts";

export const workspaceHandlers: Pick<
  Handlers,
  | "registerWorkspace"
  | "updateWorkspaceCard"
  | "sendHeartbeat"
  | "listPeers"
  | "addActivity"
  | "listActivities"
  | "listWorkspaces"
  | "getWorkspace"
  | "placeWorkspace"
> = {
  registerWorkspace: async ({ body: { id, url, agent_card: card }, principal }, { registry }) => {
    const { key } = await getAgentFor(id, principal, registry);
    await registerWorkspace(key, { url, card }, { by: principalActor(principal) }, registry);
    return { data: { status: "registered" } };
  },
  updateWorkspaceCard: async ({ body, principal }, { registry }) => {
    const { key } = await getAgentFor(body.workspace_id, principal, registry);
    await updateCard(key, body.agent_card, { by: principalActor(principal) }, registry);
    return { data: { status: "updated" } };
  },
  sendHeartbeat: async ({ body, principal }, { registry }) => {
    const { key } = await getAgentFor(body.workspace_id, principal, registry);
    const heartbeat = {
      errorRate: body.error_rate,
      sampleError: body.sample_error,
      activeTasks: body.active_tasks,
      uptimeSeconds: body.uptime_seconds,
      task: body.current_task,
      pushes: body.pushes,
    };
    await putHeartbeat(key, heartbeat, { by: principalActor(principal) }, registry);
    return { data: { status: "ok" } };
  },
  listPeers: async ({ params, query, principal }, { registry }) => {
    const { key } = await getAgentFor(params.workspace, principal, registry);
    const peers = peersOf(key, await readWorkspaces(registry.store)).map(peerView);
    const part = (query.q ?? "").toLowerCase();
    const matches = ({ name, role }: { readonly name: string; readonly role: string }) =>
      name.toLowerCase().includes(part) || role.toLowerCase().includes(part);
    return { data: peers.filter(matches) };
  },
  addActivity: async ({ params, body, principal }, context) => {
    const { registry } = context;
    const agent = await getAgentFor(params.workspace, principal, registry);
    const { activity_type: kind, summary = "", ...rest } = body;
    const by = principalActor(principal);
    const id = await addActivity(agent.key, { kind, summary, body: rest }, { by }, registry);
    const handle = activityHandlers.get(kind);
    const result = await handle?.({ id, kind, summary, body: rest, agent, by, principal }, context);
    return { data: { status: "logged", id, ...(result === undefined ? {} : { result: { ...result } }) } };
  },
  listActivities: async ({ params, query, principal }, { registry }) => {
    const { key } = await getAgentFor(params.workspace, principal, registry);
    const { type: kind, limit = 100 } = query;
    const activities = await listActivities(key, { kind, limit }, registry);
    return { data: activities.map(activityView) };
  },
  listWorkspaces: async ({ principal }, { registry, workspaces: host }) => {
    const all = [...(await readWorkspaces(registry.store)).values()];
    const own = all.filter(({ agent }) => isAgentOf(agent, principal));
    return { data: { workspaces: own.map((node) => workspaceView(node, host)) } };
  },
  getWorkspace: async ({ params, principal }, context) => {
    return {
      data: workspaceView(await getWorkspaceFor(params.workspace, principal, context), context.workspaces),
    };
  },
  placeWorkspace: async ({ params, body, principal }, { registry, workspaces }) => {
    const { key } = await getAgentFor(params.workspace, principal, registry);
    const placed = await placeWorkspace(key, body, { by: principalActor(principal) }, registry);
    return { data: workspaceView(placed, workspaces) };
  },
};

/** An agent that is not a workspace gives the same error as a missing one. */
async function getWorkspaceFor(
  id: string,
  principal: Principal,
  { registry }: Pick<CatalogueContext, "registry">,
): Promise<WorkspaceNode> {
  const agent = await getAgentFor(id, principal, registry);
  const record = await registry.store.findWorkspace(agent.key);
  if (record !== undefined) return { agent, record };
  throw new SkillError("AGENT_NOT_FOUND", `The agent ${agent.key} is not a workspace.`, {
    hint: "Register it, or place it with PUT /v1/workspaces/{workspace}.",
    details: { key: agent.key },
  });
}
