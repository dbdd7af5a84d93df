import { isDeepStrictEqual } from "node:util";
import { readAgentManifest } from "@skillhold/core/session";
import type { Actor, SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { isSkillId } from "@skillhold/skill";
import { grantRevoked } from "../ownership/access-event.ts";
import { rejectAgentActor, visibilityWith } from "../ownership/ownership.ts";
import type { AgentRecord } from "../record/agent.ts";
import type { Grant } from "../record/grant.ts";
import { agentLock, skillLock } from "../record/lock.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryTransaction } from "../record/registry-store.ts";
import { checkExactName, checkText } from "../record/text-field.ts";

export interface NewAgent extends Partial<AgentFields> {
  readonly key: string;
  readonly runtime: string;
  /** The user the agent belongs to; by default the user who adds it. */
  readonly owner?: string;
}

/**
 * The fields to change. Undefined keeps a field, `allow: null` allows all skills, and `manifest: null`
 * removes the manifest.
 */
export interface AgentChange extends Partial<Omit<AgentFields, "allow" | "manifest">> {
  readonly allow?: readonly string[] | null;
  readonly manifest?: string | null;
}

export interface RemovedAgent {
  readonly agent: AgentRecord;
  /** The ids of the skills whose grants were revoked. */
  readonly revoked: readonly string[];
}

interface By {
  readonly by: Actor;
}

/** Who changes an agent, and optionally the version of the agent they read before. */
export interface AgentChanging extends By {
  readonly seen?: AgentRecord | undefined;
}

/** Adds an agent. Its key stays reserved after the agent is removed. */
export async function addAgent(
  { key, owner, ...given }: NewAgent,
  { by }: By,
  context: RegistryContext,
): Promise<AgentRecord> {
  rejectAgentActor(by);
  const { store, clock, ids, limits } = context;
  const fields = checkAgentFields(
    { displayName: key, allow: undefined, pins: {}, manifest: undefined, ...given },
    limits,
  );
  const at = clock.now().toISOString();
  const agent: AgentRecord = {
    uid: ids.next(),
    key: checkAgentKey(key),
    ...fields,
    owner: checkExactName("owner", owner ?? by.user, 256),
    createdAt: at,
    updatedAt: at,
    removedAt: undefined,
  };
  rejectStranger(agent, by);
  return await store.transaction(async (tx) => {
    await tx.lock(agentLock(key));
    if ((await tx.findAgent(key)) !== undefined)
      throw new SkillError("CONFLICT", `The key ${key} is taken.`, {
        hint: "Choose another key. Keys of removed agents cannot be reused.",
        details: { key },
      });
    await tx.putUser({ name: agent.owner, displayName: undefined, createdAt: at });
    await tx.putAgent(agent);
    await tx.append({ type: "agent.added", at, by, agent: key });
    return agent;
  });
}

/** Changes an agent. Its open sessions see the change with their next call. */
export async function changeAgent(
  keyOrUid: string,
  { allow, manifest, ...change }: AgentChange,
  { by, seen }: AgentChanging,
  context: RegistryContext,
): Promise<{ readonly agent: AgentRecord; readonly status: "changed" | "unchanged" }> {
  rejectAgentActor(by);
  const { store, clock, limits } = context;
  return await store.transaction(async (tx) => {
    const agent = await getManagedAgent(keyOrUid, { by, seen }, tx);
    const fields = checkAgentFields(
      {
        displayName: change.displayName ?? agent.displayName,
        runtime: change.runtime ?? agent.runtime,
        pins: change.pins ?? agent.pins,
        allow: allow === undefined ? agent.allow : (allow ?? undefined),
        manifest: manifest === undefined ? agent.manifest : (manifest ?? undefined),
      },
      limits,
    );
    const changed = { ...agent, ...fields };
    if (isDeepStrictEqual(changed, agent)) return { agent, status: "unchanged" };
    const at = clock.now().toISOString();
    await tx.putAgent({ ...changed, updatedAt: at });
    await tx.append({ type: "agent.changed", at, by, agent: agent.key });
    return { agent: { ...changed, updatedAt: at }, status: "changed" };
  });
}

/** Removes an agent and revokes its grants. */
export async function removeAgent(
  keyOrUid: string,
  { by, seen }: AgentChanging,
  { store, clock }: RegistryContext,
): Promise<RemovedAgent> {
  rejectAgentActor(by);
  return await store.transaction(async (tx) => {
    const agent = await getManagedAgent(keyOrUid, { by, seen }, tx);
    const at = clock.now().toISOString();
    const events = await revokeAll(agent.key, at, by, tx);
    await forgetPending(agent.key, tx);
    const removed = { ...agent, updatedAt: at, removedAt: at };
    await tx.putAgent(removed);
    await tx.appendAll([...events, { type: "agent.removed", at, by, agent: agent.key }]);
    const revoked = events.flatMap((event) => ("skill" in event ? [event.skill] : []));
    return { agent: removed, revoked };
  });
}

/** Ordered by key, without removed agents. */
export async function listAgents({ store }: RegistryContext): Promise<readonly AgentRecord[]> {
  return await store.listAgents();
}

/** By key or uid; throws AGENT_NOT_FOUND for a removed agent. */
export async function getAgent(keyOrUid: string, { store }: RegistryContext): Promise<AgentRecord> {
  const agent = await store.findAgent(keyOrUid);
  if (agent === undefined || agent.removedAt !== undefined) throw noAgent(keyOrUid);
  return agent;
}

/** Finds and locks an agent, so that it cannot be removed while something is granted to it. */
export async function lockAgent(keyOrUid: string, tx: RegistryTransaction): Promise<AgentRecord> {
  const found = await tx.findAgent(keyOrUid);
  if (found === undefined) throw noAgent(keyOrUid);
  await tx.lock(agentLock(found.key));
  const agent = await tx.findAgent(found.key);
  if (agent === undefined || agent.removedAt !== undefined) throw noAgent(keyOrUid);
  return agent;
}

/** Throws PRECONDITION_FAILED if the agent differs from `seen`. */
async function getManagedAgent(
  keyOrUid: string,
  { by, seen }: AgentChanging,
  tx: RegistryTransaction,
): Promise<AgentRecord> {
  const agent = await lockAgent(keyOrUid, tx);
  rejectStranger(agent, by);
  if (seen !== undefined && !isDeepStrictEqual(agent, seen))
    throw new SkillError("PRECONDITION_FAILED", `The agent ${agent.key} changed since you read it.`, {
      details: { key: agent.key },
    });
  return agent;
}

function rejectStranger({ key, owner }: AgentRecord, { user, role }: Actor): void {
  if (role === "admin" || role === "system" || owner === user) return;
  throw new SkillError("POLICY_DENIED", `The agent ${key} belongs to another user.`, {
    hint: "Ask its owner or an administrator.",
    details: { key },
  });
}

const PENDING_PAGE = 1000;

async function forgetPending(agent: string, tx: RegistryTransaction): Promise<void> {
  for (;;) {
    const pending = await tx.listPendingGrants({ agent, limit: PENDING_PAGE });
    for (const { skill } of pending) await tx.removePendingGrant(skill, agent);
    if (pending.length < PENDING_PAGE) return;
  }
}

/** Takes the locks of the skills in the order of their ids. */
async function revokeAll(
  key: string,
  at: string,
  by: Actor,
  tx: RegistryTransaction,
): Promise<readonly SkillEvent[]> {
  const isOwn = ({ grantee }: Grant) => grantee.kind === "agent" && grantee.key === key;
  const uids = (await tx.listGrants()).filter(isOwn).map(({ skill }) => skill);
  const skills = await Promise.all(uids.map((uid) => tx.findSkill(uid)));
  const events: SkillEvent[] = [];
  for (const { id, uid } of skills.flatMap((skill) => skill ?? []).sort((a, b) => (a.id < b.id ? -1 : 1))) {
    await tx.lock(skillLock(id));
    const skill = await tx.findSkill(uid);
    if (skill === undefined || !(await tx.removeGrant(uid, { kind: "agent", key }))) continue;
    const visibility = visibilityWith((await tx.listGrants([uid])).length, skill.visibility);
    if (visibility !== skill.visibility) await tx.putSkill({ ...skill, visibility, updatedAt: at });
    events.push(grantRevoked({ kind: "agent", key }, { at, skill: { id, visibility }, by }));
  }
  return events;
}

function noAgent(keyOrUid: string): SkillError {
  const key = keyOrUid.slice(0, 80);
  return new SkillError("AGENT_NOT_FOUND", `There is no agent ${key}.`, { details: { key } });
}

/** The fields of an agent that a caller sets. */
type AgentFields = Pick<AgentRecord, "displayName" | "runtime" | "allow" | "pins" | "manifest">;

const KEY = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const MAX_NAME = 256;
const MAX_SKILLS = 10_000;

/** Agents are found by key or uid, so a key must not look like a uid. */
function checkAgentKey(key: string): string {
  if (KEY.test(key) && !UUID.test(key)) return key;
  throw refuse(
    `The agent key ${JSON.stringify(key.slice(0, 80))} is invalid. Use 1 to 128 letters, digits, dots, underscores and hyphens, and no UUID.`,
  );
}

function checkAgentFields(fields: AgentFields, limits: Limits): AgentFields {
  const { displayName, runtime, allow, pins, manifest } = fields;
  if (allow !== undefined) checkIds("skill list", allow);
  checkIds("pin list", Object.keys(pins));
  for (const [id, revision] of Object.entries(pins))
    if (!Number.isSafeInteger(revision) || revision < 1)
      throw refuse(`The pin of ${id} is not a revision number.`);
  if (manifest !== undefined) checkManifest(manifest, limits);
  return {
    displayName: checkText("agent name", displayName, MAX_NAME),
    runtime: checkExactName("runtime", runtime, MAX_NAME),
    allow: allow === undefined ? undefined : [...new Set(allow)],
    pins: { ...pins },
    manifest,
  };
}

function checkIds(what: string, ids: readonly string[]): void {
  if (ids.length > MAX_SKILLS) throw refuse(`The ${what} has more than ${MAX_SKILLS} entries.`);
  const strange = ids.find((id) => !isSkillId(id));
  if (strange === undefined) return;
  throw refuse(`The ${what} contains ${JSON.stringify(strange.slice(0, 80))}, which is not a skill id.`);
}

function checkManifest(text: string, limits: Limits): void {
  const error = readAgentManifest(text, limits).problems.find(({ severity }) => severity === "error");
  if (error !== undefined) throw refuse(`The manifest is invalid: ${error.message}`);
}

function refuse(message: string): SkillError {
  return new SkillError("USAGE", message, { hint: "Correct the value and try again." });
}
