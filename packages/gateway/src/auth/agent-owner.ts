import { SkillError } from "@skillhold/protocol/error";
import type { AgentRecord, RegistryContext } from "@skillhold/registry/record";
import { isAdministrator, isPerson, type Principal } from "./principal.ts";

/** Whether the principal may see an agent: administrators see all, people see their own, and an agent sees itself. */
export function isAgentOf({ key, owner }: AgentRecord, principal: Principal): boolean {
  if (isAdministrator(principal)) return true;
  return isPerson(principal) ? owner === principal.user : key === principal.agent;
}

/** Finds an agent by key or uid. An agent of another owner gives the same error as a missing one. */
export async function getAgentFor(
  keyOrUid: string,
  principal: Principal,
  { store }: Pick<RegistryContext, "store">,
): Promise<AgentRecord> {
  const agent = await store.findAgent(keyOrUid);
  if (agent !== undefined && agent.removedAt === undefined && isAgentOf(agent, principal)) return agent;
  const key = keyOrUid.slice(0, 80);
  throw new SkillError("AGENT_NOT_FOUND", `There is no agent ${key}.`, { details: { key } });
}
