import type { Actor, SkillEvent } from "@skillhold/protocol";
import type { Grant, Grantee } from "../record/grant.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";

/** The skill after the change, and the actor. */
export interface GrantChange {
  readonly at: string;
  readonly skill: Pick<RegisteredSkill, "id" | "visibility">;
  readonly by: Actor;
}

export function grantGiven({ grantee, canManage, pin }: Grant, change: GrantChange): SkillEvent {
  return {
    type: "grant.given",
    ...fieldsOf(change),
    grantee: { ...grantee },
    canManage,
    ...(pin === undefined ? {} : { pin }),
  };
}

export function grantRevoked(grantee: Grantee, change: GrantChange): SkillEvent {
  return { type: "grant.revoked", ...fieldsOf(change), grantee: { ...grantee } };
}

function fieldsOf({ at, skill: { id, visibility }, by }: GrantChange) {
  return { at, skill: id, by, visibility };
}

export function statusEvent(
  { id, status, reason, missing, updatedAt }: RegisteredSkill,
  by: Actor,
): SkillEvent {
  return {
    type: "skill.status_changed",
    at: updatedAt,
    skill: id,
    by,
    status,
    ...(reason === undefined ? {} : { reason }),
    missing,
  };
}
