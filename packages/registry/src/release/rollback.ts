import type { Digest, Trust } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { getManaged, type ManagedChange } from "../ownership/ownership.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import { outdateProposals } from "./outdated-proposal.ts";
import { getRevisionOf, rejectPurged } from "./revisions.ts";

export interface RolledBack {
  readonly id: string;
  readonly uid: string;
  readonly from: number;
  /** The current revision after the rollback. */
  readonly revision: number;
  readonly status: "rolled-back" | "unchanged";
  readonly treeHash: Digest;
  readonly trust: Trust;
  readonly version: string | undefined;
}

/**
 * Makes another revision current, older or newer, with its content, version and trust. New revisions still
 * get the next unused number.
 */
export async function rollback(
  idOrUid: string,
  revision: number,
  { by, seen }: ManagedChange,
  { store, clock }: RegistryContext,
): Promise<RolledBack> {
  return await store.transaction(async (tx) => {
    const skill = await getManaged(idOrUid, by, tx, seen);
    rejectDeleted(skill);
    const target = await getRevisionOf(skill, revision, tx);
    rejectPurged(target, skill.id);
    const { id, uid, revision: from } = skill;
    const { treeHash, trust, version } = target;
    const answer = { id, uid, from, revision, treeHash, trust, version };
    if (from === revision) return { ...answer, status: "unchanged" };
    const at = clock.now().toISOString();
    const restored = { ...skill, revision, treeHash, updatedAt: at };
    await tx.putSkill(restored);
    const event = { type: "skill.rolled_back", at, skill: id, by, from, revision, hash: treeHash } as const;
    await tx.appendAll([event, ...(await outdateProposals(restored, { by, at }, tx))]);
    return { ...answer, status: "rolled-back" };
  });
}

export function rejectDeleted({ id, status }: RegisteredSkill): void {
  if (status !== "deleted") return;
  throw new SkillError("CONFLICT", `The skill ${id} is deleted.`, {
    hint: "Restore it first.",
    details: { id },
  });
}
