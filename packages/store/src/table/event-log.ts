import { SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import {
  ActorCheck,
  appendLeaf,
  canonicalJson,
  chainHash,
  type EventActor,
  type GuardedAppend,
  PRUNE_BATCH,
  PrunedEntries,
  planPruning,
  rejectDamaged,
} from "@skillhold/registry/audit";
import type {
  AuditHead,
  AuditKeyChange,
  AuditRow,
  PrunePlan,
  PruneStep,
  RegistryReader,
} from "@skillhold/registry/record";
import type { Queries, Tx } from "../engine/db.ts";
import { requireHead, selectEnd, updateHead } from "./audit-head-table.ts";
import {
  auditAfter,
  copiesOf,
  insertEvents,
  type LoggedEvent,
  lastEvent,
  logStart,
  pruneEvents,
  selectAuditKeys,
} from "./event-table.ts";
import type { ActorLookup } from "./session-actor.ts";

/** A writer signs the log, leaves it unsigned, or commits no change. */
export type Writer = GuardedAppend | "dry run" | undefined;

/** Held by every append, so that event numbers follow commit order. */
const LOG_LOCK = "event log";

/**
 * Appends events. Each carries a hash over itself and the previous hash, and the head records the end, which
 * a chain cannot show. Events are validated first, because an unreadable one would end the feed. Returns the
 * last number.
 */
export async function appendAll(
  tx: Tx,
  events: readonly SkillEvent[],
  writer: Writer,
  sessions: ActorLookup,
): Promise<number> {
  if (events.length === 0) return await lastEvent(tx);
  const entries = events.map(toEntry);
  const [before, actors] = await Promise.all([lockHead(tx), sessions.actorsOf(tx, events)]);
  if (typeof writer !== "object") {
    if (before.note !== undefined && writer !== "dry run") throw signedLog(before);
    return extend(tx, before, entries, undefined, actors);
  }
  const first = await writer.admit(before, logReader(tx), firstTime(events));
  return extend(tx, before, [...first.map(toEntry), ...entries], writer, actors);
}

/** Throws if the log accepts no events from this writer. */
export async function checkLog(tx: Tx, writer: Writer): Promise<void> {
  const before = await lockHead(tx);
  if (typeof writer === "object") await writer.admit(before, logReader(tx), "");
}

/** Adds or revokes a key, endorsed by the own key. */
export async function changeKey(
  tx: Tx,
  change: Omit<AuditKeyChange["event"], "type" | "endorsement">,
  guarded: GuardedAppend,
): Promise<number> {
  const before = await lockHead(tx);
  const first = await guarded.admit(before, logReader(tx), change.at);
  const event = guarded.endorsed(change, before.seq + first.length + 1);
  return extend(tx, before, [...first, event].map(toEntry), guarded);
}

/** Continues a log whose keys or whose last seen state are lost. */
export async function adoptLog(tx: Tx, at: string, guarded: GuardedAppend): Promise<number> {
  const before = await lockHead(tx);
  return extend(tx, before, guarded.adopt(before, at).map(toEntry), guarded);
}

/** Prunes the due entries of one batch after an entry, and records it in the same transaction. */
export async function pruneLog(
  tx: Tx,
  step: PruneStep,
  writer: Writer,
  sessions: ActorLookup,
): Promise<PrunePlan> {
  const { after, before, at, by } = step;
  await lockHead(tx);
  const [previous] = after === 0 ? [] : await auditAfter(tx, after - 1, 1);
  const rows = await auditAfter(tx, after, PRUNE_BATCH);
  const plan = planPruning(rows, { before, now: at });
  const { ranges, count } = plan;
  const end = ranges.at(-1)?.last;
  if (end === undefined) return plan;
  rejectDamaged(
    rows.filter(({ seq }) => seq <= end),
    previous?.hash,
  );
  // The record comes first: the writer checks the entries that are new to it.
  await appendAll(tx, [{ type: "audit.pruned", at, by, before, count, ranges }], writer, sessions);
  await pruneEvents(tx, ranges);
  return plan;
}

/** Both statements are sent at once: the server runs the second one after it has the lock. */
async function lockHead(tx: Tx): Promise<AuditHead> {
  const [, head] = await Promise.all([tx.lock(LOG_LOCK), requireHead(tx)]);
  return head;
}

function extend(
  tx: Tx,
  before: AuditHead,
  entries: readonly Entry[],
  guarded: GuardedAppend | undefined,
  actors: ReadonlyMap<string, EventActor> = new Map(),
): number {
  const { logged, head } = goOn(before, entries);
  const changes = logged.flatMap(({ seq, event }) =>
    event.type === "audit.key_changed" ? { seq, event } : [],
  );
  const signed = guarded === undefined ? { ...head, note: undefined } : guarded.sign(head, changes);
  insertEvents(tx, logged, actors);
  updateHead(tx, signed);
  return head.seq;
}

function logReader(tx: Tx): Pick<RegistryReader, "auditAfter" | "auditKeys"> {
  return {
    auditAfter: (seq, limit) => auditAfter(tx, seq, limit),
    auditKeys: () => selectAuditKeys(tx),
  };
}

function firstTime(events: readonly SkillEvent[]): string {
  return events[0]?.at ?? new Date(0).toISOString();
}

/** An unsigned entry would make the whole log unsigned. */
function signedLog({ seq }: AuditHead): SkillError {
  return new SkillError("CONFIG_INVALID", `The audit log is signed, and entry ${seq + 1} would not be.`, {
    hint: "Open the store with a signer whose key is registered in the log.",
  });
}

/** The head after one more event with this hash. */
export function advance(head: AuditHead, hash: string): AuditHead {
  return { ...head, seq: head.seq + 1, hash, frontier: appendLeaf(head.frontier, hash) };
}

type Entry = Pick<LoggedEvent, "event" | "body">;

function toEntry(event: SkillEvent): Entry {
  const checked = SkillEvent.parse(event);
  return { event: checked, body: canonicalJson(checked) };
}

function goOn(start: AuditHead, entries: readonly Entry[]) {
  const logged: LoggedEvent[] = [];
  let head = start;
  for (const entry of entries) {
    head = advance(head, chainHash(head.hash, entry.body));
    logged.push({ ...entry, seq: head.seq, hash: head.hash });
  }
  return { logged, head };
}

const PAGE = 1000;
const MAX_BROKEN = 1000;

/**
 * The numbers of events that are missing, break the hash chain, differ from their columns or are not covered
 * by the head; at most a thousand.
 */
export async function listBrokenEvents(db: Queries): Promise<readonly number[]> {
  const broken = new Set<number>();
  // Others may append meanwhile: all events of this head must exist, and the next head must cover all
  // existing ones.
  const promised = await selectEnd(db);
  const pruned = new PrunedEntries();
  const actors = new ActorCheck();
  let last = logStart;
  for (let isOver = false; !isOver; ) {
    const page = await auditAfter(db, last.seq, PAGE);
    for (const row of page) {
      addRange(broken, last.seq + 1, row.seq - 1);
      // After a gap there is no hash to compare with.
      const isNext = row.seq === last.seq + 1;
      const isPruned = pruned.add(row);
      const isLinked = !isNext || isPruned || row.hash === chainHash(last.hash, row.body);
      const isPromised = row.seq !== promised.seq || row.hash === promised.hash;
      if (isPruned) actors.skip();
      if (!isLinked || !isPromised || !(isPruned || isTrueCopy(row, actors))) broken.add(row.seq);
      last = row;
    }
    isOver = page.length < PAGE || broken.size >= MAX_BROKEN;
  }
  for (const { first, last: end } of pruned.unrecorded()) addRange(broken, first, end);
  for (const seq of actors.unresolved()) addRange(broken, seq, seq);
  addRange(broken, last.seq + 1, promised.seq);
  addRange(broken, (await selectEnd(db)).seq + 1, last.seq);
  return [...broken].sort((one, other) => one - other).slice(0, MAX_BROKEN);
}

function addRange(broken: Set<number>, from: number, to: number): void {
  for (let seq = from; seq <= to && broken.size < MAX_BROKEN; seq += 1) broken.add(seq);
}

function isTrueCopy(row: AuditRow, actors: ActorCheck): boolean {
  const event = SkillEvent.safeParse(parseJson(row.body)).data;
  if (event === undefined) return false;
  const { at, type, skill, session } = copiesOf(event);
  const isActor = actors.isTrue(row, event);
  return isActor && row.at === at && row.type === type && row.skill === skill && row.session === session;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Undefined is not a valid event.
    return undefined;
  }
}
