import { isDeepStrictEqual } from "node:util";
import type { Actor, SkillEvent, Visibility } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { grantGiven, grantRevoked } from "../ownership/access-event.ts";
import {
  getManaged,
  isAgentActor,
  isManager,
  notFound,
  oversees,
  rejectAgentActor,
  visibilityWith,
} from "../ownership/ownership.ts";
import { isAgentUser } from "../record/agent.ts";
import type { Grant, Grantee, PendingGrant } from "../record/grant.ts";
import { skillLock } from "../record/lock.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type {
  GrantPage,
  PendingGrantQuery,
  RegistryReader,
  RegistryTransaction,
} from "../record/registry-store.ts";
import { checkExactName } from "../record/text-field.ts";
import { getRevisionOf, rejectPurged } from "../release/revisions.ts";
import { rejectDeleted } from "../release/rollback.ts";
import { lockAgent } from "./agents.ts";

export interface GrantOptions {
  readonly by: Actor;
  /** Whether the grantee, a user, may also publish, edit, grant and delete. */
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
  /** `pending`: the grant waits for the consent of the agent's owner. */
  readonly status: "granted" | "pending" | "revoked" | "unchanged";
  /** The visibility of the skill after the change. */
  readonly visibility: Visibility;
}

/** The result with the current grant; undefined while the first one is pending. */
export interface Granted extends GrantResult {
  readonly grant: Grant | undefined;
}

/**
 * Grants a skill to an agent or a user, or changes the grant. The first grant makes a private skill internal. A grant
 * puts the skill into the agent's prompt, so the agent's owner or an administrator must consent.
 */
export async function grantSkill(
  idOrUid: string,
  to: Grantee,
  { by, canManage = false, pin, seen }: GrantOptions,
  { store, clock }: RegistryContext,
): Promise<Granted> {
  rejectAgentActor(by);
  if (canManage) rejectManagingAgent(to);
  return await store.transaction(async (tx) => {
    const { grantee, owner } = await getGrantee(to, tx);
    const skill = await getManaged(idOrUid, by, tx);
    rejectDeleted(skill);
    if (pin !== undefined) rejectPurged(await getRevisionOf(skill, pin, tx), skill.id);
    const before = await tx.findGrant(skill.uid, grantee);
    rejectOther(before, seen, skill);
    if (before?.canManage === canManage && before.pin === pin)
      return { ...answer(skill, grantee, "unchanged"), grant: before };
    const at = clock.now().toISOString();
    const grant: Grant = { skill: skill.uid, grantee, canManage, pin, grantedBy: by.user, at };
    if (owner !== undefined && !mayConsent(owner, by))
      return { ...(await requestGrant(grant, skill, by, tx)), grant: before };
    if (grantee.kind === "user")
      await tx.putUser({ name: grantee.key, displayName: undefined, createdAt: at });
    return { ...(await putGrant(grant, skill, by, tx)), grant };
  });
}

/** Agents cannot change skills, so the right would have no effect. */
function rejectManagingAgent({ kind, key }: Grantee): void {
  if (kind === "user") return;
  throw new SkillError("USAGE", `The agent ${key.slice(0, 80)} cannot manage a skill: only users can.`, {
    hint: "Grant the agent the use of the skill, or grant its user the right to manage it.",
    details: { agent: key.slice(0, 80) },
  });
}

async function requestGrant(
  { skill: uid, grantee, canManage, pin, at }: Grant,
  skill: RegisteredSkill,
  by: Actor,
  tx: RegistryTransaction,
): Promise<GrantResult> {
  const before = await tx.findPendingGrant(uid, grantee.key);
  if (before?.canManage === canManage && before.pin === pin) return answer(skill, grantee, "pending");
  await tx.putPendingGrant({ skill: uid, agent: grantee.key, canManage, pin, requestedBy: by.user, at });
  const fields = { at, skill: skill.id, by, grantee: { ...grantee }, canManage };
  await tx.append({ type: "grant.requested", ...fields, ...(pin === undefined ? {} : { pin }) });
  return answer(skill, grantee, "pending");
}

async function putGrant(
  grant: Grant,
  skill: RegisteredSkill,
  by: Actor,
  tx: RegistryTransaction,
): Promise<GrantResult> {
  const { grantee, at } = grant;
  await tx.putGrant(grant);
  if (grantee.kind === "agent") await tx.removePendingGrant(skill.uid, grantee.key);
  const granted = await settle(skill, at, tx);
  await tx.append(grantGiven(grant, { at, skill: granted, by }));
  return answer(granted, grantee, "granted");
}

/** Accepts or declines a pending grant, for the agent's owner or an administrator. */
export async function answerGrant(
  idOrUid: string,
  agentKey: string,
  { by, accept }: { readonly by: Actor; readonly accept: boolean },
  { store, clock }: RegistryContext,
): Promise<GrantResult> {
  rejectAgentActor(by);
  return await store.transaction(async (tx) => {
    const agent = await lockAgent(agentKey, tx);
    const found = await tx.findSkill(idOrUid);
    if (found !== undefined) await tx.lock(skillLock(found.id));
    const skill = found && (await tx.findSkill(found.uid));
    const pending = skill && (await tx.findPendingGrant(skill.uid, agent.key));
    if (skill === undefined || pending === undefined || !mayConsent(agent.owner, by))
      throw noPending(idOrUid, agentKey);
    const at = clock.now().toISOString();
    const grantee = { kind: "agent", key: agent.key } as const;
    if (!accept) {
      await tx.appendAll(await declinePending(skill, agent.key, { by, at }, tx));
      return answer(skill, grantee, "unchanged");
    }
    rejectDeleted(skill);
    await rejectFormerManager(skill, pending, tx);
    const { canManage, pin, requestedBy } = pending;
    if (pin !== undefined) rejectPurged(await getRevisionOf(skill, pin, tx), skill.id);
    const grant: Grant = { skill: skill.uid, grantee, canManage, pin, grantedBy: requestedBy, at };
    return await putGrant(grant, skill, by, tx);
  });
}

/** Pending grants that the actor requested or may answer; all for an administrator. */
export async function listPendingGrants(
  page: Omit<PendingGrantQuery, "user">,
  { by }: { readonly by: Actor },
  { store }: RegistryContext,
): Promise<readonly PendingView[]> {
  if (isAgentActor(by)) return [];
  const rows = await store.listPendingGrants({
    ...page,
    ...(by.role === "admin" || by.role === "system" ? {} : { user: by.user }),
  });
  const views = rows.map(async (row) => {
    const [skill, agent] = await Promise.all([store.findSkill(row.skill), store.findAgent(row.agent)]);
    const mayAnswer = agent !== undefined && mayConsent(agent.owner, by);
    return { ...row, id: skill?.id ?? row.skill, owner: agent?.owner ?? "", mayAnswer };
  });
  return await Promise.all(views);
}

/** A pending grant with the skill's id and the agent's owner. */
export interface PendingView extends PendingGrant {
  readonly id: string;
  readonly owner: string;
  /** Whether the reader may accept or decline it. */
  readonly mayAnswer: boolean;
}

function mayConsent(owner: string, { user, role }: Actor): boolean {
  return role === "admin" || role === "system" || (owner === user && role !== "viewer");
}

/** The requester may have lost the right to grant in the meantime. */
async function rejectFormerManager(
  skill: RegisteredSkill,
  { requestedBy }: PendingGrant,
  tx: RegistryTransaction,
): Promise<void> {
  const grants = await tx.listGrants([skill.uid]);
  if (isManager(skill, grants, { user: requestedBy, role: "publisher" })) return;
  throw new SkillError("CONFLICT", `${requestedBy} may no longer grant ${skill.id}.`, {
    hint: "Decline the grant, or ask the owner of the skill to grant it again.",
    details: { id: skill.id },
  });
}

async function declinePending(
  { id, uid }: RegisteredSkill,
  agent: string,
  { by, at }: { readonly by: Actor; readonly at: string },
  tx: RegistryTransaction,
): Promise<readonly SkillEvent[]> {
  if (!(await tx.removePendingGrant(uid, agent))) return [];
  return [{ type: "grant.declined", at, skill: id, by, grantee: { kind: "agent", key: agent } }];
}

function noPending(idOrUid: string, agent: string): SkillError {
  const id = idOrUid.slice(0, 80);
  return new SkillError(
    "GRANT_NOT_FOUND",
    `No grant of ${id} is pending for the agent ${agent.slice(0, 80)}.`,
    {
      details: { id, agent },
    },
  );
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
    const at = clock.now().toISOString();
    const withdrawn =
      grantee.kind === "agent" ? await declinePending(skill, grantee.key, { by, at }, tx) : [];
    if (!(await tx.removeGrant(skill.uid, grantee))) {
      await tx.appendAll(withdrawn);
      return answer(skill, grantee, withdrawn.length === 0 ? "unchanged" : "revoked");
    }
    const revoked = await settle(skill, at, tx);
    await tx.appendAll([...withdrawn, grantRevoked(grantee, { at, skill: revoked, by })]);
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
  if (!oversees(skill, own === undefined ? [] : [own], by)) throw notFound(idOrUid);
  return skill;
}

/** Resolves an agent's uid to its key. An unknown agent keeps the given name. */
async function keyedGrantee({ kind, key }: Grantee, reader: RegistryReader): Promise<Grantee> {
  const agent = kind === "agent" ? await reader.findAgent(key) : undefined;
  return { kind, key: agent?.key ?? key };
}

/** The grantee, and the owner if it is an agent. Throws AGENT_NOT_FOUND for an unknown agent; users need not exist. */
async function getGrantee(
  { kind, key }: Grantee,
  tx: RegistryTransaction,
): Promise<{ readonly grantee: Grantee; readonly owner: string | undefined }> {
  if (kind === "user") {
    const user = checkExactName("user name", key, 256);
    // The agent would get the skill without the consent of its owner.
    if (isAgentUser(user))
      throw new SkillError("USAGE", `The user ${user.slice(0, 80)} belongs to an agent.`, {
        hint: "Grant the skill to the agent.",
      });
    return { grantee: { kind, key: user }, owner: undefined };
  }
  const agent = await lockAgent(key, tx);
  return { grantee: { kind, key: agent.key }, owner: agent.owner };
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
