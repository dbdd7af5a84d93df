import { isDeepStrictEqual } from "node:util";
import type { Actor, Visibility } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { grantGiven, grantRevoked } from "../ownership/access-event.ts";
import {
  getManaged,
  isAgentActor,
  isManager,
  notFound,
  rejectAgentActor,
  visibilityWith,
} from "../ownership/ownership.ts";
import type { Grant, Grantee } from "../record/grant.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { GrantPage, RegistryReader, RegistryTransaction } from "../record/registry-store.ts";
import { checkExactName } from "../record/text-field.ts";
import { getRevisionOf, rejectPurged } from "../release/revisions.ts";
import { rejectDeleted } from "../release/rollback.ts";
import { lockAgent } from "./agents.ts";

export interface GrantOptions {
  readonly by: Actor;
  /** Whether the grantee may also publish, edit, grant and delete. */
  readonly canManage?: boolean;
  /** The revision the grantee is pinned to. */
  readonly pin?: number;
  /** The grant as the caller last read it, for optimistic locking. */
  readonly seen?: Grant | undefined;
}

export interface RevokeOptions {
  readonly by: Actor;
  readonly seen?: Grant | undefined;
}

export interface GrantResult {
  readonly id: string;
  readonly uid: string;
  readonly grantee: Grantee;
  readonly status: "granted" | "revoked" | "unchanged";
  /** The visibility of the skill after the change. */
  readonly visibility: Visibility;
}

/** The result with the current grant. */
export interface Granted extends GrantResult {
  readonly grant: Grant;
}

/**
 * Grants a skill to an agent or a user, or changes the grant. The first grant makes a private skill internal.
 */
export async function grantSkill(
  idOrUid: string,
  to: Grantee,
  { by, canManage = false, pin, seen }: GrantOptions,
  { store, clock }: RegistryContext,
): Promise<Granted> {
  rejectAgentActor(by);
  return await store.transaction(async (tx) => {
    const grantee = await getGrantee(to, tx);
    const skill = await getManaged(idOrUid, by, tx);
    rejectDeleted(skill);
    if (pin !== undefined) rejectPurged(await getRevisionOf(skill, pin, tx), skill.id);
    const before = await tx.findGrant(skill.uid, grantee);
    rejectOther(before, seen, skill);
    if (before?.canManage === canManage && before.pin === pin)
      return { ...answer(skill, grantee, "unchanged"), grant: before };
    const at = clock.now().toISOString();
    const grant: Grant = { skill: skill.uid, grantee, canManage, pin, grantedBy: by.user, at };
    if (grantee.kind === "user")
      await tx.putUser({ name: grantee.key, displayName: undefined, createdAt: at });
    await tx.putGrant(grant);
    const granted = await settle(skill, at, tx);
    await tx.append(grantGiven(grant, { at, skill: granted, by }));
    return { ...answer(granted, grantee, "granted"), grant };
  });
}

/** Revokes a grant. Revoking the last one makes an internal skill private. */
export async function revokeSkill(
  idOrUid: string,
  from: Grantee,
  { by, seen }: RevokeOptions,
  { store, clock }: RegistryContext,
): Promise<GrantResult> {
  rejectAgentActor(by);
  return await store.transaction(async (tx) => {
    const skill = await getManaged(idOrUid, by, tx);
    const grantee = await keyedGrantee(from, tx);
    rejectOther(await tx.findGrant(skill.uid, grantee), seen, skill);
    if (!(await tx.removeGrant(skill.uid, grantee))) return answer(skill, grantee, "unchanged");
    const at = clock.now().toISOString();
    const revoked = await settle(skill, at, tx);
    await tx.append(grantRevoked(grantee, { at, skill: revoked, by }));
    return answer(revoked, grantee, "revoked");
  });
}

/** All grants of a skill, for an actor who may manage them. Agents may not. */
export async function listGrants(
  idOrUid: string,
  { by }: { readonly by: Actor },
  { store }: RegistryContext,
): Promise<readonly Grant[]> {
  const { uid } = await getOverseen(idOrUid, by, store);
  return await store.listGrants([uid]);
}

/** One page of the grants of a skill, for the same actors. */
export async function listGrantPage(
  idOrUid: string,
  page: GrantPage,
  { by }: { readonly by: Actor },
  { store }: RegistryContext,
): Promise<readonly Grant[]> {
  const { uid } = await getOverseen(idOrUid, by, store);
  return await store.listGrantPage(uid, page);
}

/** The grant of one grantee, for the same actors; undefined without a grant. */
export async function findGrant(
  idOrUid: string,
  grantee: Grantee,
  { by }: { readonly by: Actor },
  { store }: RegistryContext,
): Promise<Grant | undefined> {
  const { uid } = await getOverseen(idOrUid, by, store);
  return await store.findGrant(uid, await keyedGrantee(grantee, store));
}

async function getOverseen(idOrUid: string, by: Actor, reader: RegistryReader): Promise<RegisteredSkill> {
  const skill = isAgentActor(by) ? undefined : await reader.findSkill(idOrUid);
  if (skill === undefined) throw notFound(idOrUid);
  const own = await reader.findGrant(skill.uid, { kind: "user", key: by.user });
  if (!isManager(skill, own === undefined ? [] : [own], by) && by.role !== "admin") throw notFound(idOrUid);
  return skill;
}

/** Resolves an agent's uid to its key. An unknown agent keeps the given name. */
async function keyedGrantee({ kind, key }: Grantee, reader: RegistryReader): Promise<Grantee> {
  const agent = kind === "agent" ? await reader.findAgent(key) : undefined;
  return { kind, key: agent?.key ?? key };
}

/** Throws AGENT_NOT_FOUND for an unknown agent; users need not exist. */
async function getGrantee({ kind, key }: Grantee, tx: RegistryTransaction): Promise<Grantee> {
  if (kind === "agent") return { kind, key: (await lockAgent(key, tx)).key };
  return { kind, key: checkExactName("user name", key, 256) };
}

/** Contract: the skill is locked. Throws PRECONDITION_FAILED if the grant differs from `seen`. */
function rejectOther(before: Grant | undefined, seen: Grant | undefined, { id }: RegisteredSkill): void {
  if (seen === undefined || isDeepStrictEqual(before, seen)) return;
  throw new SkillError("PRECONDITION_FAILED", `The grant of ${id} changed since you read it.`, {
    details: { id },
  });
}

/** Contract: the skill is locked and its grants are final. */
async function settle(skill: RegisteredSkill, at: string, tx: RegistryTransaction): Promise<RegisteredSkill> {
  const grants = await tx.listGrants([skill.uid]);
  const visibility = visibilityWith(grants.length, skill.visibility);
  if (visibility === skill.visibility) return skill;
  const settled = { ...skill, visibility, updatedAt: at };
  await tx.putSkill(settled);
  return settled;
}

function answer(skill: RegisteredSkill, grantee: Grantee, status: GrantResult["status"]): GrantResult {
  const { id, uid, visibility } = skill;
  return { id, uid, grantee, status, visibility };
}
