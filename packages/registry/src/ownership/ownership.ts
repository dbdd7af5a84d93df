import { isDeepStrictEqual } from "node:util";
import type { Actor, Provenance, Trust, Visibility } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Grant } from "../record/grant.ts";
import { skillLock } from "../record/lock.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryTransaction } from "../record/registry-store.ts";

/**
 * What a revision is trusted with: it follows from who published it and where they got it, never from the skill. What
 * was exported elsewhere is trusted as it was there, at most, and only by an administrator's word.
 */
export function trustOf(by: Actor, source: Provenance["source"], exported?: Trust): Trust {
  if (by.role === "system") return "builtin";
  if (isAgentActor(by) || elsewhere.has(source)) return "third_party";
  if (by.role !== "admin") return source === "import" ? "third_party" : "user";
  const most = source === "import" ? (exported ?? "third_party") : "org";
  return isTrustedMore(most, "org") ? "org" : most;
}

export function isTrustedMore(trust: Trust, than: Trust): boolean {
  return ranks.indexOf(trust) > ranks.indexOf(than);
}

const ranks: readonly Trust[] = ["third_party", "user", "org", "builtin"];

const elsewhere: ReadonlySet<Provenance["source"]> = new Set(["agent", "git", "index", "registry"]);

/** Refuses to publish under an id that is another's; in the same words whatever there is under it. */
export function rejectForeignId(
  id: string,
  before: RegisteredSkill | undefined,
  grants: readonly Grant[],
  by: Actor,
): void {
  if (before === undefined) return;
  if (before.isSystem !== (by.role === "system"))
    throw new SkillError("CONFLICT", `The id ${id} is ${before.isSystem ? "a system skill's" : "taken"}.`, {
      details: { id },
    });
  if (!isManager(before, grants, by)) throw takenId(id);
}

/** The refusal for an id under which there is something that the one who asks may not replace. */
export function takenId(id: string): SkillError {
  return new SkillError("CONFLICT", `The id ${id} is taken.`, { details: { id } });
}

/** Who changes a skill, and, where they say so, how they last saw it. */
export interface ManagedChange {
  readonly by: Actor;
  readonly seen?: RegisteredSkill | undefined;
}

/**
 * The skill as it is in this transaction, locked, for someone who may change it. To those who may not, a skill that is
 * not public does not exist. One that is another than was seen is not changed.
 */
export async function getManaged(
  idOrUid: string,
  by: Actor,
  tx: RegistryTransaction,
  seen?: RegisteredSkill,
): Promise<RegisteredSkill> {
  const found = await tx.findSkill(idOrUid);
  if (found === undefined) throw notFound(idOrUid);
  await tx.lock(skillLock(found.id));
  const skill = await tx.findSkill(found.uid);
  const grants = await tx.listGrants([found.uid]);
  if (skill === undefined || (!isManager(skill, grants, by) && skill.visibility !== "public"))
    throw notFound(idOrUid);
  rejectUnmanaged(skill, grants, by);
  rejectChanged(skill, seen);
  return skill;
}

/** Contract: the skill is locked. One that is another than was seen is not changed. */
export function rejectChanged(skill: RegisteredSkill, seen: RegisteredSkill | undefined): void {
  if (seen === undefined || isDeepStrictEqual(skill, seen)) return;
  throw changedMeanwhile(skill);
}

export function changedMeanwhile({ id }: { readonly id: string }): SkillError {
  return new SkillError("PRECONDITION_FAILED", `The skill ${id} is not as you last saw it.`, {
    details: { id },
  });
}

function rejectUnmanaged(skill: RegisteredSkill, grants: readonly Grant[], by: Actor): void {
  const { id, isSystem } = skill;
  const details = { id };
  if (isSystem && by.role !== "system")
    throw new SkillError("CONFLICT", `${id} is a system skill.`, {
      hint: "System skills come with Skillhold and change with it; they can be disabled.",
      details,
    });
  if (!isManager(skill, grants, by))
    throw new SkillError("POLICY_DENIED", `The skill ${id} belongs to someone else.`, {
      hint: "Ask its owner or an administrator.",
      details,
    });
  if (isAgentActor(by))
    throw new SkillError("POLICY_DENIED", "An agent may publish skills, and change them in no other way.", {
      hint: "Have a person do it.",
      details,
    });
}

/** An administrator, its owner, or who was granted it to manage, but no viewer. System skills are only the system's. */
export function isManager(skill: RegisteredSkill, grants: readonly Grant[], by: Actor): boolean {
  const { user, agent, role } = by;
  if (role === "system") return true;
  if (skill.isSystem || role === "viewer") return false;
  if (role === "admin" || skill.owner === user) return true;
  return grants.some(
    ({ canManage, grantee: { kind, key } }) => canManage && key === (kind === "user" ? user : agent),
  );
}

export function isAgentActor({ role, agent }: Actor): boolean {
  return role === "agent" || agent !== undefined;
}

/** Refuses whoever acts through an agent: nothing that an agent can call widens what it, or another, may do. */
export function rejectAgentActor(by: Actor): void {
  if (!isAgentActor(by)) return;
  throw new SkillError("POLICY_DENIED", "An agent does not decide who may use what.", {
    hint: "Have a person do it.",
  });
}

/** The refusal for a skill that is not there, or not for the one who asks. */
export function notFound(idOrUid: string): SkillError {
  return new SkillError("SKILL_NOT_FOUND", `There is no skill ${idOrUid.slice(0, 80)}.`, {
    details: { id: idOrUid.slice(0, 80) },
  });
}

/**
 * What a skill's visibility is with these grants: one that is not public is internal if, and only if, someone was
 * granted it. Written in the transaction that changes the grants.
 */
export function visibilityWith(grants: number, before: Visibility): Visibility {
  if (before === "public") return before;
  return grants > 0 ? "internal" : "private";
}

/** Who publishes what comes with the product. */
export const systemActor: Actor = { user: "system", role: "system" };
