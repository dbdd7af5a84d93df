import type { Access } from "@skillhold/core/library";
import type { SkillEntry } from "@skillhold/protocol";
import type { SkillFacts, SkillRow } from "@skillhold/protocol/http";
import type { SkillSnapshot } from "@skillhold/registry/library";
import { shortHash } from "../bytes.ts";
import type { DisclosedAccess } from "../cache/skill-list.ts";
import type { CatalogueContext } from "../running-context.ts";
import { canManage, type DisclosedSkill, pinFor, type Recipient } from "../skill/disclosed-skill.ts";

/** The row of a disclosed skill. */
export function rowOf(
  access: DisclosedAccess,
  held: SkillSnapshot | undefined,
  recipient: Recipient,
): SkillRow {
  const { isVisible, reason, message, warnings } = access;
  return {
    entry: publicEntry(access.entry),
    ...(held === undefined ? {} : { registry: factsOf(held, recipient) }),
    access: { isVisible, reason, message, warnings },
  };
}

/** The rows of surveyed skills, without those that were deleted after the survey. */
export function rowsOf(
  accesses: readonly Access[],
  recipient: Recipient,
  { skills }: Pick<CatalogueContext, "skills">,
): readonly SkillRow[] {
  return accesses.flatMap((access) => {
    const held = skills.findSnapshot(access.entry);
    const isGone = held === undefined && access.entry.revision !== undefined;
    return isGone ? [] : [rowOf(access, held, recipient)];
  });
}

/** Replaces the path of an entry, because paths on the gateway's machine are not disclosed. */
function publicEntry(entry: SkillEntry): SkillEntry {
  const { source, id, revision } = entry;
  return { ...entry, path: revision === undefined ? `${source}:${id}` : `${source}:${id}@${revision}` };
}

/** A recipient with a pin sees the pinned revision as the only one. */
function factsOf(held: SkillSnapshot, recipient: Recipient): SkillFacts {
  const { skill } = held.current;
  const pin = pinFor(held, recipient);
  const { uid, owner, visibility, isSystem, isEnabled, status, reason, missing } = skill;
  const { createdAt, updatedAt, deletedAt } = skill;
  return {
    uid,
    owner,
    visibility,
    system: isSystem,
    enabled: isEnabled,
    status,
    ...(reason === undefined ? {} : { reason }),
    missing,
    revision: pin ?? skill.revision,
    lastRevision: pin ?? skill.lastRevision,
    createdAt,
    updatedAt,
    ...(deletedAt === undefined ? {} : { deletedAt }),
    canManage: canManage(held, recipient.principal),
  };
}

/** Changes with the skill, its record and the caller's rights. */
export function etagOf({ access, held, canManage: isManaged }: DisclosedSkill, treeHash?: string): string {
  const { entry, ...decision } = access;
  const { revision, skillHash, lastModified, readiness } = entry;
  const state = [held?.current.skill ?? null, revision ?? null, skillHash, lastModified, readiness];
  return shortHash(JSON.stringify([state, decision, isManaged, held === undefined ? treeHash : null]));
}
