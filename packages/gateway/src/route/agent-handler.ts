import type { AgentView } from "@skillhold/protocol/http";
import { addAgent, changeAgent, removeAgent } from "@skillhold/registry/access";
import type { AgentPage, AgentRecord } from "@skillhold/registry/record";
import { z } from "zod";
import { getAgentFor, isAgentOf } from "../auth/agent-owner.ts";
import { actorOf, isAdministrator, isPerson, type Principal } from "../auth/principal.ts";
import { shortHash } from "../digest.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { rejectStale } from "../http/condition.ts";
import type { Handlers } from "../http/handler.ts";
import { present } from "../http/present.ts";
import { pageOf } from "./page.ts";

export const agentHandlers: Pick<
  Handlers,
  "listAgents" | "addAgent" | "getAgent" | "changeAgent" | "removeAgent"
> = {
  listAgents: async ({ query, principal }, { registry }) => {
    const { rows, next } = await pageOf(query, {
      place: z.string(),
      placeOf: ({ key }: AgentRecord) => key,
      list: (after, limit) => listKnown(principal, { after, limit }, registry),
    });
    return { data: { agents: rows.map(viewOf), ...next } };
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

/** Those that someone may know of, as `isAgentOf` says. */
async function listKnown(
  principal: Principal,
  page: AgentPage,
  { store }: GatewayContext["registry"],
): Promise<readonly AgentRecord[]> {
  if (isAdministrator(principal)) return await store.listAgents(page);
  if (isPerson(principal)) return await store.listAgents({ ...page, owner: principal.user });
  // Whoever acts as an agent knows of that one alone, and there is one page of it.
  const own = page.after === undefined ? await store.findAgent(principal.agent ?? "") : undefined;
  return own !== undefined && own.removedAt === undefined && isAgentOf(own, principal) ? [own] : [];
}

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
