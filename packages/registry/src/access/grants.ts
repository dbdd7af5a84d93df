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
  /** Whether the grantee may also publish, edit, grant and take away. */
  readonly canManage?: boolean;
  /** The revision that the grantee is held to. */
  readonly pin?: number;
  /** The grant as whoever changes it last saw it, where they say so. */
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
  /** What the skill's is now. */
  readonly visibility: Visibility;
}

/** The same, and what there is of the grant now. */
export interface Granted extends GrantResult {
  readonly grant: Grant;
}

/** Lets an agent or a user use a skill, or changes how. The first grant of a private skill makes it internal. */
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

/** Takes a grant back. After the last one, what is not public is private again. */
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

/** Who was granted a skill, for someone who may change that; an agent may not. */
export async function listGrants(
  idOrUid: string,
  { by }: { readonly by: Actor },
  { store }: RegistryContext,
): Promise<readonly Grant[]> {
  const { uid } = await getOverseen(idOrUid, by, store);
  return await store.listGrants([uid]);
}

/** The same, a page at a time. */
export async function listGrantPage(
  idOrUid: string,
  page: GrantPage,
  { by }: { readonly by: Actor },
  { store }: RegistryContext,
): Promise<readonly Grant[]> {
  const { uid } = await getOverseen(idOrUid, by, store);
  return await store.listGrantPage(uid, page);
}

/** What one grantee was granted, for the same people; undefined for nothing. */
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

/** An agent that is named by its uid is granted by its key; one that is not there any more keeps the name it is given. */
async function keyedGrantee({ kind, key }: Grantee, reader: RegistryReader): Promise<Grantee> {
  const agent = kind === "agent" ? await reader.findAgent(key) : undefined;
  return { kind, key: agent?.key ?? key };
}

/** An agent must be there, and is then granted by its key; users are kept as they are named. */
async function getGrantee({ kind, key }: Grantee, tx: RegistryTransaction): Promise<Grantee> {
  if (kind === "agent") return { kind, key: (await lockAgent(key, tx)).key };
  return { kind, key: checkExactName("name of the user", key, 256) };
}

/** Contract: the skill is locked. A grant that is another than was seen is not changed. */
function rejectOther(before: Grant | undefined, seen: Grant | undefined, { id }: RegisteredSkill): void {
  if (seen === undefined || isDeepStrictEqual(before, seen)) return;
  throw new SkillError("PRECONDITION_FAILED", `The grant of ${id} is not as you last saw it.`, {
    details: { id },
  });
}

/** Contract: the skill is locked, and its grants are as they are to be. */
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
