import type { SkillStatus, Visibility } from "@skillhold/protocol";
import { getManaged, type ManagedChange } from "../ownership/ownership.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import { getRevisionOf, rejectPurged } from "./revisions.ts";

export interface Removal {
  readonly id: string;
  readonly uid: string;
  readonly revision: number;
  readonly status: "deleted" | "restored" | "unchanged";
  /** What the skill is in now. */
  readonly state: SkillStatus;
  readonly visibility: Visibility;
}

/** Takes a skill out of every list. Its revisions, its owner and why it was archived stay, until it is purged. */
export async function deleteSkill(
  idOrUid: string,
  { by, seen }: ManagedChange,
  { store, clock }: RegistryContext,
): Promise<Removal> {
  return await store.transaction(async (tx) => {
    const skill = await getManaged(idOrUid, by, tx, seen);
    if (skill.status === "deleted") return describe(skill, "unchanged");
    const at = clock.now().toISOString();
    const deleted: RegisteredSkill = { ...skill, status: "deleted", updatedAt: at, deletedAt: at };
    await tx.putSkill(deleted);
    await tx.append({ type: "skill.deleted", at, skill: skill.id, by, revision: skill.revision });
    return describe(deleted, "deleted");
  });
}

/**
 * Undoes the deletion: the skill is what it was, its visibility included, because it is what was seen before. Only what
 * is published anew after a deletion starts out private.
 */
export async function restoreSkill(
  idOrUid: string,
  { by, seen }: ManagedChange,
  { store, clock }: RegistryContext,
): Promise<Removal> {
  return await store.transaction(async (tx) => {
    const skill = await getManaged(idOrUid, by, tx, seen);
    if (skill.status !== "deleted") return describe(skill, "unchanged");
    const current = await getRevisionOf(skill, skill.revision, tx);
    rejectPurged(current, skill.id);
    const at = clock.now().toISOString();
    // A reason stays with a deleted skill for this moment.
    const status = skill.reason === undefined ? "active" : "archived";
    const restored: RegisteredSkill = { ...skill, status, updatedAt: at, deletedAt: undefined };
    await tx.putSkill(restored);
    await tx.append({ type: "skill.restored", at, skill: skill.id, by, revision: skill.revision });
    return describe(restored, "restored");
  });
}

function describe(skill: RegisteredSkill, status: Removal["status"]): Removal {
  const { id, uid, revision, visibility } = skill;
  return { id, uid, revision, status, state: skill.status, visibility };
}
