import type { Actor } from "@skillhold/protocol";
import { grantSkill } from "../access/grants.ts";
import type { ExportedGrant } from "../format/index.ts";
import type { RegistryContext } from "../record/registry-context.ts";

/**
 * Gives a skill to the agents that an archive names, as far as they are here, and answers with their keys. An archive
 * is a stranger's word: only an administrator takes it.
 */
export async function restoreGrants(
  uid: string,
  grants: readonly ExportedGrant[],
  by: Actor,
  context: RegistryContext,
): Promise<readonly string[]> {
  if (by.role !== "admin" || by.agent !== undefined || grants.length === 0) return [];
  const known = new Set((await context.store.listAgents()).map(({ key }) => key));
  const given = new Map(grants.map(({ agent, canManage = false }) => [agent, canManage]));
  const restored: string[] = [];
  for (const [key, canManage] of given) {
    if (!known.has(key)) continue;
    await grantSkill(uid, { kind: "agent", key }, { by, canManage }, context);
    restored.push(key);
  }
  return restored;
}
