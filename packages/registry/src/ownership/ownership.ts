import { isDeepStrictEqual } from "node:util";
import type { Actor, Provenance, Trust, Visibility } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Grant } from "../record/grant.ts";
import { skillLock } from "../record/lock.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryTransaction } from "../record/registry-store.ts";

/**
 * The trust level of a revision. It depends on the publisher and the source, never on the skill. An imported
 * skill keeps at most the trust it was exported with, and only if an administrator imports it. An applied proposal keeps
 * at most the trust of the skill or of its author.
 */
export function trustOf(by: Actor, source: Provenance["source"], exported?: Trust): Trust {
  if (by.role === "system") return "builtin";
  if (isAgentActor(by) || elsewhere.has(source)) return "third_party";
  if (source === "proposal")
    return leastTrust(exported ?? "third_party", by.role === "admin" ? "org" : "user");
  if (by.role !== "admin") return source === "import" ? "third_party" : "user";
  const most = source === "import" ? (exported ?? "third_party") : "org";
  return isTrustedMore(most, "org") ? "org" : most;
}

function leastTrust(a: Trust, b: Trust): Trust {
  return isTrustedMore(a, b) ? b : a;
}

export function isTrustedMore(trust: Trust, than: Trust): boolean {
  return ranks.indexOf(trust) > ranks.indexOf(than);
}

const ranks: readonly Trust[] = ["third_party", "user", "org", "builtin"];

const elsewhere: ReadonlySet<Provenance["source"]> = new Set([
  "agent",
  "promotion",
  "git",
  "index",
  "registry",
  "url",
  "clawhub",
  "npm",
  "oci",
  "gateway",
]);

/**
 * Rejects publishing under an id that belongs to someone else. The message does not reveal the existing
 * skill.
 */
export function rejectForeignId(
  id: string,
  before: RegisteredSkill | undefined,
  grants: readonly Grant[],
  by: Actor,
): void {
  if (before === undefined) return;
  if (before.isSystem !== (by.role === "system"))
    throw new SkillError(
      "CONFLICT",
      `The id ${id} ${before.isSystem ? "belongs to a system skill" : "is taken"}.`,
      {
        details: { id },
      },
    );
  if (!isManager(before, grants, by)) throw takenId(id);
}

/** The error for an id whose skill the caller may not replace. */
export function takenId(id: string): SkillError {
  return new SkillError("CONFLICT", `The id ${id} is taken.`, { details: { id } });
}

/** Who changes a skill, and optionally the version of the skill they read before. */
export interface ManagedChange {
  readonly by: Actor;
  readonly seen?: RegisteredSkill | undefined;
}

/**
 * The locked skill, for an actor who may change it. Throws SKILL_NOT_FOUND if the actor may not know the
 * skill, and PRECONDITION_FAILED if it differs from `seen`.
 */
export async function getManaged(
  idOrUid: string,
  by: Actor,
  tx: RegistryTransaction,
  seen?: RegisteredSkill,
): Promise<RegisteredSkill> {
  // Before the skill is looked up, so that the answer is the same for skills that the agent may not know.
  rejectAgentChange(idOrUid, by);
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

/** Contract: the skill is locked. Throws PRECONDITION_FAILED if it differs from `seen`. */
export function rejectChanged(skill: RegisteredSkill, seen: RegisteredSkill | undefined): void {
  if (seen === undefined || isDeepStrictEqual(skill, seen)) return;
  throw changedMeanwhile(skill);
}

export function changedMeanwhile({ id }: { readonly id: string }): SkillError {
  return new SkillError("PRECONDITION_FAILED", `The skill ${id} changed since you read it.`, {
    details: { id },
  });
}

function rejectUnmanaged(skill: RegisteredSkill, grants: readonly Grant[], by: Actor): void {
  const { id, isSystem } = skill;
  const details = { id };
  if (isSystem && by.role !== "system")
    throw new SkillError("CONFLICT", `${id} is a system skill.`, {
      hint: "System skills are updated with Skillhold. Administrators can disable them and change their tags.",
      details,
    });
  if (!isManager(skill, grants, by))
    throw new SkillError("POLICY_DENIED", `The skill ${id} belongs to another user.`, {
      hint: "Ask its owner or an administrator.",
      details,
    });
}

function rejectAgentChange(id: string, by: Actor): void {
  if (!isAgentActor(by)) return;
  throw new SkillError(
    "POLICY_DENIED",
    "Agents can publish skills but cannot change them in any other way.",
    {
      hint: "Ask a person to make the change.",
      details: { id: id.slice(0, 80) },
    },
  );
}

/**
 * True for administrators, the owner and users with a `canManage` grant, unless they are viewers. System skills
 * are managed only by the system.
 */
export function isManager(skill: RegisteredSkill, grants: readonly Grant[], by: Actor): boolean {
  const { user, role } = by;
  if (role === "system") return true;
  if (skill.isSystem || role === "viewer") return false;
  if (role === "admin" || skill.owner === user) return true;
  return grants.some(({ canManage, grantee: { kind, key } }) => canManage && kind === "user" && key === user);
}

/**
 * The one rule about who may see a skill with its grants and its history, whatever its state: people who manage it, and
 * administrators, also for system skills.
 */
export function oversees(skill: RegisteredSkill, grants: readonly Grant[], by: Actor): boolean {
  return !isAgentActor(by) && (by.role === "admin" || isManager(skill, grants, by));
}

export function isAgentActor({ role, agent }: Actor): boolean {
  return role === "agent" || agent !== undefined;
}

/**
 * Rejects actors that act through an agent, so that an agent cannot extend its own or another agent's
 * permissions.
 */
export function rejectAgentActor(by: Actor): void {
  if (!isAgentActor(by)) return;
  throw new SkillError("POLICY_DENIED", "Agents cannot change permissions.", {
    hint: "Ask a person to make the change.",
  });
}

/** The error for a skill that does not exist or that the caller may not know. */
export function notFound(idOrUid: string): SkillError {
  return new SkillError("SKILL_NOT_FOUND", `There is no skill ${idOrUid.slice(0, 80)}.`, {
    details: { id: idOrUid.slice(0, 80) },
  });
}

/**
 * The visibility of a skill with this many grants: a skill that is not public is internal if it has grants,
 * and private otherwise. Contract: written in the transaction that changes the grants.
 */
export function visibilityWith(grants: number, before: Visibility): Visibility {
  if (before === "public") return before;
  return grants > 0 ? "internal" : "private";
}

/** The actor that publishes bundled skills. */
export const systemActor: Actor = { user: "system", role: "system" };
