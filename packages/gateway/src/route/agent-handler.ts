import type { Viewer } from "@skillhold/core/library";
import { readAgentManifest } from "@skillhold/core/session";
import type { AgentView } from "@skillhold/protocol/http";
import { addAgent, changeAgent, rejectUnknownSkills, removeAgent } from "@skillhold/registry/access";
import type { AgentPage, AgentRecord } from "@skillhold/registry/record";
import { z } from "zod";
import { getAgentFor, isAgentOf } from "../auth/agent-owner.ts";
import { isAdministrator, isPerson, type Principal, principalActor } from "../auth/principal.ts";
import { shortHash } from "../bytes.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { rejectStale } from "../http/condition.ts";
import { definedFields } from "../http/defined-fields.ts";
import type { Handlers } from "../http/handler.ts";
import { readPage } from "./page.ts";

export const agentHandlers: Pick<
  Handlers,
  "listAgents" | "addAgent" | "getAgent" | "changeAgent" | "removeAgent"
> = {
  listAgents: async ({ query, principal }, { registry }) => {
    const { rows, next } = await readPage(query, {
      position: z.string(),
      positionOf: ({ key }: AgentRecord) => key,
      list: (after, limit) => listVisibleAgents(principal, { after, limit }, registry),
    });
    return { data: { agents: rows.map(viewOf), ...next } };
  },
  addAgent: async ({ body, principal }, { registry, library }) => {
    await rejectUnknown(body, body.runtime, principal, library);
    const agent = await addAgent(definedFields(body), { by: principalActor(principal) }, registry);
    return { data: viewOf(agent), etag: tagOf(agent) };
  },
  getAgent: async ({ params, principal }, { registry }) => {
    const agent = await getAgentFor(params.key, principal, registry);
    return { data: viewOf(agent), etag: tagOf(agent) };
  },
  changeAgent: async ({ params, body, principal, headers }, { registry, library }) => {
    const before = await getAgentFor(params.key, principal, registry);
    await rejectUnknown(body, body.runtime ?? before.runtime, principal, library);
    const seen = expectedBy(headers, before);
    const { agent } = await changeAgent(
      before.uid,
      definedFields(body),
      { by: principalActor(principal), seen },
      registry,
    );
    return { data: viewOf(agent), etag: tagOf(agent) };
  },
  removeAgent: async ({ params, principal, headers }, { registry }) => {
    const before = await getAgentFor(params.key, principal, registry);
    const seen = expectedBy(headers, before);
    const { agent, revoked } = await removeAgent(
      before.uid,
      { by: principalActor(principal), seen },
      registry,
    );
    return { data: { key: agent.key, revoked } };
  },
};

/** Rejects a manifest that names a skill which the caller cannot see. Administrators see every skill. */
async function rejectUnknown(
  { manifest: text }: { readonly manifest?: string | null | undefined },
  runtime: string,
  principal: Principal,
  library: Pick<GatewayContext["library"], "list" | "survey">,
): Promise<void> {
  const { manifest } = readAgentManifest(text ?? "");
  if (manifest === undefined) return;
  const list = async (viewer: Viewer) =>
    isAdministrator(principal)
      ? (await library.survey(viewer)).map(({ entry }) => entry)
      : await library.list(viewer);
  await rejectUnknownSkills(manifest, { runtime, user: principal.user }, { list });
}

/** The agents that the principal may see, as `isAgentOf` decides. */
export async function listVisibleAgents(
  principal: Principal,
  page: AgentPage,
  { store }: GatewayContext["registry"],
): Promise<readonly AgentRecord[]> {
  if (isAdministrator(principal)) return await store.listAgents(page);
  if (isPerson(principal)) return await store.listAgents({ ...page, owner: principal.user });
  // An agent sees only itself, on a single page.
  const own = page.after === undefined ? await store.findAgent(principal.agent ?? "") : undefined;
  return own !== undefined && own.removedAt === undefined && isAgentOf(own, principal) ? [own] : [];
}

/** The agent when If-Match names its state; undefined without the header. Contract: the change rejects any other state. */
function expectedBy(headers: Headers, agent: AgentRecord): AgentRecord | undefined {
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
