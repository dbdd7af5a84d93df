import type { Access } from "@skillhold/core/library";
import type { SkillEntry } from "@skillhold/protocol";
import type { SkillFacts, SkillRow } from "@skillhold/protocol/http";
import type { HeldSkill } from "@skillhold/registry/library";
import { shortHash } from "../digest.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { canManage, type KnownSkill, pinFor, type Told, type ToldAccess } from "./known-skill.ts";

/** A skill as it is told to someone who may know of it. */
export function rowOf(access: ToldAccess, held: HeldSkill | undefined, told: Told): SkillRow {
  const { isVisible, reason, message, warnings } = access;
  return {
    entry: toldEntry(access.entry),
    ...(held === undefined ? {} : { registry: factsOf(held, told) }),
    access: { isVisible, reason, message, warnings },
  };
}

/** Rows of what the gate was asked about; one that was deleted since then is left out. */
export function rowsOf(
  accesses: readonly Access[],
  told: Told,
  { skills }: Pick<GatewayContext, "skills">,
): readonly SkillRow[] {
  return accesses.flatMap((access) => {
    const held = skills.held(access.entry);
    const isGone = held === undefined && access.entry.revision !== undefined;
    return isGone ? [] : [rowOf(access, held, told)];
  });
}

/** Where it lies is the gateway's business. */
export function toldEntry(entry: SkillEntry): SkillEntry {
  const { source, id, revision } = entry;
  return { ...entry, path: revision === undefined ? `${source}:${id}` : `${source}:${id}@${revision}` };
}

/** To one who is held to a revision there is no other, and never was. */
function factsOf(held: HeldSkill, told: Told): SkillFacts {
  const { skill } = held.current;
  const pin = pinFor(held, told);
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
    canManage: canManage(held, told.principal),
  };
}

/** Is another one when the skill, what is said of it, or what someone may do with it is. */
export function etagOf({ access, held, canManage: isManaged }: KnownSkill, treeHash?: string): string {
  const { entry, ...decision } = access;
  const { revision, skillHash, lastModified, readiness } = entry;
  const state = [held?.current.skill ?? null, revision ?? null, skillHash, lastModified, readiness];
  return shortHash(JSON.stringify([state, decision, isManaged, held === undefined ? treeHash : null]));
}
