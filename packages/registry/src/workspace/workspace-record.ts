import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Actor, Digest, SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { lockAgent } from "../access/agents.ts";
import { canonicalJson } from "../audit/canonical-json.ts";
import { rejectAgentActor } from "../ownership/ownership.ts";
import type { AgentRecord } from "../record/agent.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryReader, RegistryTransaction } from "../record/registry-store.ts";
import type { CardPush, WorkspaceHealth, WorkspaceRecord } from "../record/workspace.ts";
import { cardSkills } from "./agent-card.ts";
import { isParentLoop, type WorkspaceNode, type WorkspaceTree } from "./kinship.ts";

/** The largest agent card, as JSON. */
export const MAX_CARD_BYTES = 256 * 1024;
/** The largest body of an activity, as JSON. */
const MAX_ACTIVITY_BYTES = 64 * 1024;
const MAX_TASK_LENGTH = 500;
/** Activities of other workspaces are skipped, so a list reads a limited number of pages of the log. */
const MAX_ACTIVITY_PAGES = 100;
const ACTIVITY_PAGE = 500;
/** A workspace is offline after this time without a heartbeat. */
export const OFFLINE_MS = 60_000;
/** Heartbeats without a change are stored at most this often. */
const HEARTBEAT_STORE_MS = 15_000;
/** A workspace becomes degraded at the first error rate, and recovers below the second. */
const DEGRADED_AT = 0.5;
const RECOVERED_BELOW = 0.1;

interface By {
  readonly by: Actor;
}

export interface Heartbeat {
  readonly errorRate?: number | undefined;
  readonly sampleError?: string | undefined;
  readonly activeTasks?: number | undefined;
  readonly uptimeSeconds?: number | undefined;
  /** Undefined keeps the task. */
  readonly task?: string | undefined;
  readonly pushes?: readonly CardPush[] | undefined;
}

export interface WorkspacePlace {
  /** Undefined keeps the parent, and null makes the workspace a root. */
  readonly parent?: string | null | undefined;
  readonly url?: string | null | undefined;
}

export interface WorkspaceActivity {
  readonly kind: string;
  readonly summary: string;
  /** The other fields, as sent. */
  readonly body: Readonly<Record<string, unknown>>;
}

type WorkspaceEvent = Extract<SkillEvent, { readonly type: `workspace.${string}` }>;

/** All workspaces whose agents exist, by key. */
export async function readWorkspaces(store: RegistryReader): Promise<WorkspaceTree> {
  const agents = new Map((await store.listAgents()).map((agent) => [agent.key, agent]));
  const live = (await store.listWorkspaces()).flatMap((record) => {
    const agent = agents.get(record.agent);
    return agent === undefined ? [] : [[agent.key, { agent, record }] as const];
  });
  return new Map(live);
}

/** Contract of these functions: the caller may act for the agent. */

/** Makes the agent a workspace that is online, with its address and its card. */
export async function registerWorkspace(
  key: string,
  given: { readonly url?: string | undefined; readonly card?: object | undefined },
  { by }: By,
  context: RegistryContext,
): Promise<WorkspaceNode> {
  const card = given.card === undefined ? undefined : storedCard(given.card);
  return await change(key, by, context, ({ record, at }) => {
    const url = given.url ?? record.url;
    return {
      ...record,
      url,
      ...(card === undefined ? {} : withCard(record, card, at)),
      status: "online",
      heartbeatAt: at,
    };
  });
}

/** Stores the card of a workspace. An equal card changes no record and sends no event. */
export async function updateCard(
  key: string,
  card: object,
  { by }: By,
  context: RegistryContext,
): Promise<WorkspaceNode> {
  const stored = storedCard(card);
  return await change(key, by, context, ({ record, at }) => ({ ...record, ...withCard(record, stored, at) }));
}

/** Stores a heartbeat: the workspace runs, with these figures and this task. */
export async function putHeartbeat(
  key: string,
  heartbeat: Heartbeat,
  { by }: By,
  context: RegistryContext,
): Promise<WorkspaceNode> {
  return await change(key, by, context, ({ record, at }) => {
    const beat: WorkspaceRecord = {
      ...record,
      status: statusAfter(record.status, heartbeat.errorRate ?? 0),
      task: heartbeat.task === undefined ? record.task : shortened(heartbeat.task),
      health: healthOf(heartbeat, record.health),
      heartbeatAt: at,
    };
    return isSameBeat(record, beat) && isRecent(record, at) ? record : beat;
  });
}

function healthOf(heartbeat: Heartbeat, before: WorkspaceHealth): WorkspaceHealth {
  const { errorRate = 0, sampleError = "", activeTasks = 0, uptimeSeconds = 0, pushes } = heartbeat;
  return {
    errorRate,
    sampleError: shortened(sampleError),
    activeTasks,
    uptimeSeconds: Math.floor(uptimeSeconds),
    pushes: pushes ?? before.pushes,
  };
}

/** The uptime always differs. */
function isSameBeat(before: WorkspaceRecord, after: WorkspaceRecord): boolean {
  const timeless = ({ status, task, health }: WorkspaceRecord) => ({
    status,
    task,
    health: { ...health, uptimeSeconds: 0 },
  });
  return isDeepStrictEqual(timeless(before), timeless(after));
}

function isRecent({ heartbeatAt }: WorkspaceRecord, at: string): boolean {
  return heartbeatAt !== undefined && Date.parse(at) - Date.parse(heartbeatAt) < HEARTBEAT_STORE_MS;
}

/** Sets the parent and the address. Only people move workspaces. */
export async function placeWorkspace(
  key: string,
  { parent, url }: WorkspacePlace,
  { by }: By,
  context: RegistryContext,
): Promise<WorkspaceNode> {
  rejectAgentActor(by);
  return await change(key, by, context, async ({ record, agent, tx }) => {
    if (parent !== undefined && parent !== null) rejectParent(agent, parent, await readWorkspaces(tx), by);
    return {
      ...record,
      parent: parent === undefined ? record.parent : (parent ?? undefined),
      url: url === undefined ? record.url : (url ?? undefined),
    };
  });
}

/** Records an activity in the audit log and returns its id. */
export async function addActivity(
  key: string,
  { kind, summary, body }: WorkspaceActivity,
  { by }: By,
  { store, clock, ids }: RegistryContext,
): Promise<string> {
  const text = JSON.stringify(body);
  rejectLarge("activity", Buffer.byteLength(text), MAX_ACTIVITY_BYTES);
  const activity = ids.next();
  await store.transaction(async (tx) => {
    const agent = await lockAgent(key, tx);
    const at = clock.now().toISOString();
    await tx.append({
      type: "workspace.activity",
      at,
      by,
      agent: agent.key,
      activity,
      kind,
      summary,
      body: text,
    });
  });
  return activity;
}

export type ActivityEvent = Extract<SkillEvent, { readonly type: "workspace.activity" }>;

/** The latest activities of a workspace, newest first. */
export async function listActivities(
  key: string,
  { kind, limit }: { readonly kind?: string | undefined; readonly limit: number },
  { store }: Pick<RegistryContext, "store">,
): Promise<readonly ActivityEvent[]> {
  const found: ActivityEvent[] = [];
  let before: number | undefined;
  for (let page = 0; page < MAX_ACTIVITY_PAGES && found.length < limit; page += 1) {
    const types = ["workspace.activity"];
    const events = await store.listEvents({ types, before, order: "newest", limit: ACTIVITY_PAGE });
    for (const { event } of events)
      if (event.type === "workspace.activity" && event.agent === key && event.kind === (kind ?? event.kind))
        found.push(event);
    before = events.at(-1)?.seq;
    if (events.length < ACTIVITY_PAGE) break;
  }
  return found.slice(0, limit);
}

/** Marks workspaces without a recent heartbeat as offline, and returns their keys. */
export async function expireWorkspaces({ store, clock }: RegistryContext): Promise<readonly string[]> {
  const limit = new Date(clock.now().getTime() - OFFLINE_MS).toISOString();
  const isLate = ({ status, heartbeatAt }: WorkspaceRecord) =>
    (status === "online" || status === "degraded") && (heartbeatAt ?? "") < limit;
  const late = (await store.listWorkspaces()).filter(isLate);
  if (late.length === 0) return [];
  return await store.transaction(async (tx) => {
    const at = clock.now().toISOString();
    const expired: string[] = [];
    for (const { agent } of late) {
      const record = await tx.findWorkspace(agent);
      if (record === undefined || !isLate(record)) continue;
      await tx.putWorkspace({ ...record, status: "offline", task: "", updatedAt: at });
      expired.push(agent);
    }
    const by = { user: "skillhold", role: "system" } as const;
    const status = "offline" as const;
    if (expired.length > 0)
      await tx.appendAll(
        expired.map((agent) => ({ type: "workspace.status_changed", at, by, agent, status })),
      );
    return expired;
  });
}

interface Changing {
  readonly record: WorkspaceRecord;
  readonly agent: AgentRecord;
  readonly at: string;
  readonly tx: RegistryTransaction;
}

/** One transaction: the row and one event per difference. */
async function change(
  key: string,
  by: Actor,
  { store, clock }: RegistryContext,
  edit: (changing: Changing) => WorkspaceRecord | Promise<WorkspaceRecord>,
): Promise<WorkspaceNode> {
  return await store.transaction(async (tx) => {
    const agent = await lockAgent(key, tx);
    const at = clock.now().toISOString();
    const found = await tx.findWorkspace(agent.key);
    const before = found ?? newWorkspace(agent.key, at);
    const after = await edit({ record: before, agent, at, tx });
    if (after === before && found !== undefined) return { agent, record: before };
    const record = { ...after, updatedAt: at };
    await tx.putWorkspace(record);
    const events = eventsOf(found, record, { at, by, agent: agent.key });
    if (events.length > 0) await tx.appendAll(events);
    return { agent, record };
  });
}

function eventsOf(
  before: WorkspaceRecord | undefined,
  after: WorkspaceRecord,
  about: { readonly at: string; readonly by: Actor; readonly agent: string },
): readonly WorkspaceEvent[] {
  const events: WorkspaceEvent[] = [];
  const { parent, url, status, card, cardHash, task } = after;
  if (before === undefined || parent !== before.parent || url !== before.url)
    events.push({
      type: "workspace.changed",
      ...about,
      ...(parent === undefined ? {} : { parent }),
      ...(url === undefined ? {} : { url }),
    });
  if (status !== "new" && status !== before?.status)
    events.push({ type: "workspace.status_changed", ...about, status });
  if (cardHash !== undefined && cardHash !== before?.cardHash)
    events.push({
      type: "workspace.card_updated",
      ...about,
      card: cardHash,
      skills: cardSkills(card).map(({ id }) => id),
    });
  if (task !== (before?.task ?? "")) events.push({ type: "workspace.task_changed", ...about, task });
  return events;
}

function newWorkspace(agent: string, at: string): WorkspaceRecord {
  return {
    agent,
    parent: undefined,
    url: undefined,
    card: undefined,
    cardHash: undefined,
    cardAt: undefined,
    status: "new",
    task: "",
    health: { errorRate: 0, sampleError: "", activeTasks: 0, uptimeSeconds: 0, pushes: [] },
    heartbeatAt: undefined,
    createdAt: at,
    updatedAt: at,
  };
}

interface StoredCard {
  readonly card: string;
  readonly cardHash: Digest;
}

/** Canonical, so that an equal card has an equal hash whatever the order of its fields. */
function storedCard(card: object): StoredCard {
  const text = canonicalJson(card);
  rejectLarge("agent card", Buffer.byteLength(text), MAX_CARD_BYTES);
  return { card: text, cardHash: `sha256:${hash("sha256", text)}` as Digest };
}

function withCard(record: WorkspaceRecord, stored: StoredCard, at: string): Partial<WorkspaceRecord> {
  return record.cardHash === stored.cardHash ? {} : { ...stored, cardAt: at };
}

function statusAfter(before: WorkspaceRecord["status"], errorRate: number): "online" | "degraded" {
  if (errorRate >= DEGRADED_AT) return "degraded";
  return before === "degraded" && errorRate >= RECOVERED_BELOW ? "degraded" : "online";
}

/** One line of visible text. */
function shortened(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .trim()
    .slice(0, MAX_TASK_LENGTH)
    .toWellFormed();
}

/** A parent of another owner needs an administrator, because parents and children see each other. */
function rejectParent(agent: AgentRecord, parent: string, tree: WorkspaceTree, { user, role }: Actor): void {
  const found = tree.get(parent);
  const isAllowed = role === "admin" || role === "system" || found?.agent.owner === user;
  if (found === undefined || !isAllowed)
    throw new SkillError("AGENT_NOT_FOUND", `There is no workspace ${parent.slice(0, 80)}.`, {
      details: { key: parent.slice(0, 80) },
    });
  if (isParentLoop(agent.key, parent, tree))
    throw new SkillError("CONFLICT", `${agent.key} cannot be below ${parent}.`, {
      hint: "Choose a parent that is not below the workspace, with at most 32 levels.",
      details: { key: agent.key, parent },
    });
}

function rejectLarge(what: string, bytes: number, max: number): void {
  if (bytes <= max) return;
  throw new SkillError("LIMIT_EXCEEDED", `The ${what} has ${bytes} bytes; at most ${max} are allowed.`, {
    hint: "Send fewer or shorter fields.",
    details: { bytes, max },
  });
}
