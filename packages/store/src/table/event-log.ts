import { createPublicKey } from "node:crypto";
import { SkillEvent } from "@skillhold/protocol";
import {
  appendLeaf,
  type CheckpointSigner,
  canonicalJson,
  chainHash,
  readCheckpoint,
  rootOf,
  signCheckpoint,
} from "@skillhold/registry/audit";
import type { AuditHead, AuditRow } from "@skillhold/registry/record";
import type { Queries, Tx } from "../engine/db.ts";
import { brokenLog, requireHead, selectEnd, updateHead } from "./audit-head-table.ts";
import { auditAfter, copiesOf, insertEvents, type LoggedEvent, lastEvent, logStart } from "./event-table.ts";

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
  signer: CheckpointSigner | undefined,
): Promise<number> {
  if (events.length === 0) return await lastEvent(tx);
  const entries = events.map(toEntry);
  await tx.lock(LOG_LOCK);
  const before = await requireHead(tx);
  if (signer !== undefined) rejectOtherThanSigned(before, signer);
  const { logged, head } = goOn(before, entries);
  await insertEvents(tx, logged);
  await updateHead(tx, { ...head, note: signer && noteOf(head, signer) });
  return head.seq;
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

/** Continues only from the signed state; otherwise the next signature would confirm a manipulated log. */
function rejectOtherThanSigned(
  { origin, seq, frontier, note }: AuditHead,
  { name, key }: CheckpointSigner,
): void {
  const signed = readCheckpoint(note ?? "", [{ name, key: createPublicKey(key) }]);
  if (signed === undefined) return;
  if (signed.origin === origin && signed.size === seq && signed.root === rootOf(frontier)) return;
  throw brokenLog("The audit log differs from its last signed state.", { signed: signed.size, head: seq });
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

function noteOf({ origin, seq, frontier }: AuditHead, signer: CheckpointSigner): string {
  return signCheckpoint({ origin, size: seq, root: rootOf(frontier) }, signer);
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
  let last = logStart;
  for (let isOver = false; !isOver; ) {
    const page = await auditAfter(db, last.seq, PAGE);
    for (const row of page) {
      addRange(broken, last.seq + 1, row.seq - 1);
      // After a gap there is no hash to compare with.
      const isNext = row.seq === last.seq + 1;
      const isLinked = !isNext || row.hash === chainHash(last.hash, row.body);
      const isPromised = row.seq !== promised.seq || row.hash === promised.hash;
      if (!isLinked || !isPromised || !isTrueCopy(row)) broken.add(row.seq);
      last = row;
    }
    isOver = page.length < PAGE || broken.size >= MAX_BROKEN;
  }
  addRange(broken, last.seq + 1, promised.seq);
  addRange(broken, (await selectEnd(db)).seq + 1, last.seq);
  return [...broken].sort((one, other) => one - other).slice(0, MAX_BROKEN);
}

function addRange(broken: Set<number>, from: number, to: number): void {
  for (let seq = from; seq <= to && broken.size < MAX_BROKEN; seq += 1) broken.add(seq);
}

function isTrueCopy(row: AuditRow): boolean {
  const event = SkillEvent.safeParse(parseJson(row.body)).data;
  if (event === undefined) return false;
  const { at, type, skill, session } = copiesOf(event);
  return row.at === at && row.type === type && row.skill === skill && row.session === session;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Undefined is not a valid event.
    return undefined;
  }
}
