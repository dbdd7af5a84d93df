import { SkillError } from "@skillhold/protocol/error";
import type { AgentRecord, RegistryContext } from "@skillhold/registry/record";
import { isAdministrator, isPerson, type Principal } from "./principal.ts";

/**
 * Whether someone may know of an agent: administrators of all, people of their own, and whoever acts as one of that one
 * alone.
 */
export function isAgentOf({ key, owner }: AgentRecord, principal: Principal): boolean {
  if (isAdministrator(principal)) return true;
  return isPerson(principal) ? owner === principal.user : key === principal.agent;
}

/** By key or uid. One that is another's is refused in the words for one that is not there. */
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
