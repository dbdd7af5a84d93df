import type { Actor, SkillEvent } from "@skillhold/protocol";
import { currentGeneration } from "../record/proposal.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryTransaction } from "../record/registry-store.ts";

/** More than a skill can have open. */
const MOST_OPEN = 20_000;

/**
 * Marks the open proposals whose base is no longer the content of the skill as stale. Contract: the skill is locked, and
 * the caller appends the events in the transaction that changes the skill.
 */
export async function outdateProposals(
  { id, status, treeHash }: Pick<RegisteredSkill, "id" | "status" | "treeHash">,
  { by, at }: { readonly by: Actor; readonly at: string },
  tx: RegistryTransaction,
): Promise<readonly SkillEvent[]> {
  const current = status === "deleted" ? undefined : treeHash;
  const open = await tx.listProposals({
    skill: id,
    states: ["pending", "approved", "quarantined"],
    limit: MOST_OPEN,
  });
  const events: SkillEvent[] = [];
  for (const proposal of open) {
    const { base, candidate } = currentGeneration(proposal);
    if (proposal.folder !== undefined || base === current) continue;
    await tx.putProposal({ ...proposal, state: "stale", updatedAt: at });
    events.push({
      type: "proposal.stale",
      at,
      skill: id,
      by,
      proposal: proposal.id,
      hash: candidate,
      state: "stale",
      ...(current === undefined ? {} : { current }),
    });
  }
  return events;
}
