import { type AgentRecord, addAgent, changeAgent, listAgents, removeAgent } from "@skillhold/core/registry";
import type { AgentView } from "@skillhold/protocol/http";
import type { z } from "zod";
import { getAgentFor, isAgentOf } from "../agent-owner.ts";
import { shortHash } from "../digest.ts";
import { rejectStale } from "../http/condition.ts";
import type { Handlers } from "../http/handler.ts";
import { present } from "../http/present.ts";
import { actorOf } from "../principal.ts";

export const agentHandlers: Pick<
  Handlers,
  "listAgents" | "addAgent" | "getAgent" | "changeAgent" | "removeAgent"
> = {
  listAgents: async ({ principal }, { registry }) => {
    const agents = (await listAgents(registry)).filter((agent) => isAgentOf(agent, principal));
    return { data: { agents: agents.map(viewOf) } };
  },
  addAgent: async ({ body, principal }, { registry }) => {
    const agent = await addAgent(present(body), { by: actorOf(principal) }, registry);
    return { data: viewOf(agent), etag: tagOf(agent) };
  },
  getAgent: async ({ params, principal }, { registry }) => {
    const agent = await getAgentFor(params.key, principal, registry);
    return { data: viewOf(agent), etag: tagOf(agent) };
  },
  changeAgent: async ({ params, body, principal, headers }, { registry }) => {
    const before = await getAgentFor(params.key, principal, registry);
    const seen = seenBy(headers, before);
    const { agent } = await changeAgent(
      before.uid,
      present(body),
      { by: actorOf(principal), seen },
      registry,
    );
    return { data: viewOf(agent), etag: tagOf(agent) };
  },
  removeAgent: async ({ params, principal, headers }, { registry }) => {
    const before = await getAgentFor(params.key, principal, registry);
    const seen = seenBy(headers, before);
    const { agent, revoked } = await removeAgent(before.uid, { by: actorOf(principal), seen }, registry);
    return { data: { key: agent.key, revoked } };
  },
};

/** How the caller last saw the agent, where they say so. Contract: the change refuses another one. */
function seenBy(headers: Headers, agent: AgentRecord): AgentRecord | undefined {
  if (headers.get("if-match") === null) return undefined;
  rejectStale(headers, tagOf(agent));
  return agent;
}

type View = z.input<typeof AgentView>;

function viewOf({ removedAt: _, pins, ...agent }: AgentRecord): View {
  return { ...agent, pins: { ...pins } };
}

function tagOf(agent: AgentRecord): string {
  return shortHash(JSON.stringify(viewOf(agent)));
}
