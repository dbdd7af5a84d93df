import { SkillError } from "@skillhold/protocol/error";
import { maySee } from "@skillhold/registry/proposal";
import { openStates, type Proposal, type RegistryContext } from "@skillhold/registry/record";
import { getAgentFor } from "../auth/agent-owner.ts";
import { proposalActor } from "../auth/principal.ts";
import type { Handlers } from "../http/handler.ts";
import { promoteFor, viewOf } from "../promotion/promote-agent.ts";
import { proposalRow } from "./proposal-handler.ts";

export const promotionHandlers: Pick<Handlers, "promoteSkill" | "listPromotions"> = {
  promoteSkill: async ({ body, query, principal }, context) => {
    const key = principal.agent ?? query.agent;
    if (key === undefined)
      throw new SkillError("USAGE", "The token acts for no agent.", { hint: "Add ?agent=<key>." });
    const { key: agent } = await getAgentFor(key, principal, context.registry);
    return { data: viewOf(await promoteFor(agent, body, principal, context)) };
  },
  listPromotions: async ({ principal }, { registry }) => {
    const by = proposalActor(principal);
    const open = await registry.store.listProposals({ states: openStates, limit: MOST });
    const promotions = [];
    for (const proposal of open) {
      if (proposal.origin !== "promotion") continue;
      if (!(await maySee(proposal, by, registry.store, registry))) continue;
      const task = await taskOf(proposal, registry);
      promotions.push({
        ...(await proposalRow(proposal, by, registry)),
        ...(task === undefined ? {} : { task }),
      });
    }
    return { data: { promotions } };
  },
};

const MOST = 1000;
const IN_FLIGHT_MS = 15 * 60_000;

/** The task that the agent reports, unless its last heartbeat is too old. */
async function taskOf({ author }: Proposal, { store, clock }: RegistryContext): Promise<string | undefined> {
  const workspace = author.agent === undefined ? undefined : await store.findWorkspace(author.agent);
  if (workspace?.heartbeatAt === undefined || !/^skill promotion/i.test(workspace.task)) return undefined;
  const age = clock.now().getTime() - Date.parse(workspace.heartbeatAt);
  return age <= IN_FLIGHT_MS ? workspace.task : undefined;
}
