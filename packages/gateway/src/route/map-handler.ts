import { SkillError } from "@skillhold/protocol/error";
import { viewerFor } from "@skillhold/registry/access";
import type { AgentRecord } from "@skillhold/registry/record";
import { agentUser } from "@skillhold/registry/token";
import { requestViewer } from "../auth/viewer.ts";
import { definedFields } from "../http/defined-fields.ts";
import type { Handlers } from "../http/handler.ts";
import type { CatalogueContext } from "../running-context.ts";
import { listVisibleAgents } from "./agent-handler.ts";
import { listDisclosed } from "./skill-list.ts";

const DAYS = 90;
const DAY_MS = 86_400_000;
const MAX_AGENTS = 100;

/** The agents of the caller and the skills that are disclosed to the caller, with the access and use of each pair. */
export const mapHandlers: Pick<Handlers, "getMap"> = {
  getMap: async ({ query: { after }, principal }, context) => {
    const { store, clock } = context.registry;
    const viewer = await requestViewer(principal, {}, context);
    const { skills } = await listDisclosed("all", { principal, viewer }, context);
    const ids = skills.map(({ access }) => access.entry.id as string);
    const places = new Map(ids.map((id, place) => [id, place]));
    // One agent more shows whether others follow.
    const page = { after, limit: MAX_AGENTS + 1 };
    const listed = await listVisibleAgents(principal, page, context.registry);
    const agents = listed.slice(0, MAX_AGENTS);
    const next = listed.length > MAX_AGENTS ? agents.at(-1)?.key : undefined;
    const from = new Date(clock.now().getTime() - DAYS * DAY_MS).toISOString();
    const uses = Map.groupBy(await store.countUses(from), ({ agent }) => agent);
    const rows = [];
    for (const agent of agents) {
      const may = (await listUsable(agent, context)).flatMap((id) => places.get(id) ?? []);
      const used = (uses.get(agent.key) ?? []).flatMap(({ skill, count }): [number, number][] => {
        const place = places.get(skill);
        return place === undefined ? [] : [[place, count]];
      });
      rows.push({ key: agent.key, displayName: agent.displayName, may, used });
    }
    return { data: { days: DAYS, skills: ids, agents: rows, ...definedFields({ next }) } };
  },
};

/** The ids of the skills that the agent may use for itself; none for an agent with an invalid manifest. */
async function listUsable({ key }: AgentRecord, context: CatalogueContext): Promise<readonly string[]> {
  try {
    const viewer = await viewerFor(key, agentUser(key), context.registry);
    const list = await context.lists.get({ key: "map", viewer, isListed: ({ isVisible }) => isVisible });
    return list.skills.map(({ access }) => access.entry.id);
  } catch (error) {
    if (error instanceof SkillError) return [];
    throw error;
  }
}
