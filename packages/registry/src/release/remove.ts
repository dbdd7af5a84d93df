import type { SkillStatus, Visibility } from "@skillhold/protocol";
import { getManaged, type ManagedChange } from "../ownership/ownership.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import { outdateProposals } from "./outdated-proposal.ts";
import { getRevisionOf, rejectPurged } from "./revisions.ts";

export interface Removal {
  readonly id: string;
  readonly uid: string;
  readonly revision: number;
  readonly status: "deleted" | "restored" | "unchanged";
  /** The status of the skill after the change. */
  readonly state: SkillStatus;
  readonly visibility: Visibility;
}

/** Removes a skill from all lists. Its revisions, owner and archive reason remain until it is purged. */
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
    const event = { type: "skill.deleted", at, skill: skill.id, by, revision: skill.revision } as const;
    await tx.appendAll([event, ...(await outdateProposals(deleted, { by, at }, tx))]);
    return describe(deleted, "deleted");
  });
}

/**
 * Restores a deleted skill with its former state and visibility. Only a skill that is published again after
 * deletion starts as private.
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
    // A deleted skill keeps its archive reason for this purpose.
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
