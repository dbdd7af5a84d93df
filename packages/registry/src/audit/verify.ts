import { SkillError } from "@skillhold/protocol/error";
import type { AuditHead, RegistryReader } from "../record/registry-store.ts";
import { keyOfText, keyText, nextKeys, noKeys } from "./audit-key.ts";
import { type AuditProblem, AuditProblems } from "./audit-problem.ts";
import { type Checkpoint, readCheckpoint, type TrustedKey } from "./checkpoint.ts";
import { LogCheck } from "./log-check.ts";
import { isWhole, rootOf } from "./merkle.ts";

export interface VerifyOptions {
  /** Trusted keys. Without keys, a truncated or rewritten end cannot be detected. */
  readonly keys: readonly TrustedKey[];
  /** Checkpoints of this log that were kept elsewhere. */
  readonly witnessed?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface AuditReport {
  readonly entries: number;
  readonly isSound: boolean;
  /** Whether a trusted key has signed the current state. */
  readonly isSigned: boolean;
  /** The keys that may sign the log. */
  readonly keys: readonly string[];
  /** The number of checkpoints that the log was compared with. */
  readonly witnessed: number;
  /** The first problems. */
  readonly problems: readonly AuditProblem[];
  readonly problemCount: number;
  /** The current state, to be kept elsewhere. */
  readonly checkpoint: Checkpoint | undefined;
}

export type AuditReader = Pick<RegistryReader, "auditAfter" | "auditKeys" | "findHead">;

const PAGE = 1000;

/**
 * Verifies a log from the first to the last entry: each entry is intact, no entry is missing, the head matches and is
 * signed, and all checkpoints match. Damage does not throw.
 */
export async function verifyAudit(
  reader: AuditReader,
  { keys, witnessed = [], signal }: VerifyOptions,
): Promise<AuditReport> {
  const problems = new AuditProblems();
  const notes = readNotes(witnessed, await findSigners(reader, keys), problems);
  const check = new LogCheck(notes, problems);
  const head = await readToEnd(check, reader, problems, signal);
  check.end();
  rejectStrangers(notes, head, problems);
  const registered = await readKeys(reader, head, keys, problems);
  const isSigned = checkHead(head, check, registered.now, problems);
  return {
    entries: check.frontier.size,
    isSound: problems.count === 0,
    isSigned,
    keys: registered.now.map(({ key }) => keyText(key)),
    witnessed: notes.length,
    problems: problems.list,
    problemCount: problems.count,
    checkpoint: head && { origin: head.origin, size: check.frontier.size, root: rootOf(check.frontier) },
  };
}

interface RegisteredKeys {
  /** The keys that may sign the current state. */
  readonly now: readonly TrustedKey[];
  /** All keys that ever could. */
  readonly ever: readonly TrustedKey[];
}

/** The keys of earlier checkpoints. Problems are reported with the final state. */
async function findSigners(reader: AuditReader, keys: readonly TrustedKey[]): Promise<readonly TrustedKey[]> {
  const ignored = new AuditProblems();
  return (await readKeys(reader, await findHead(reader, ignored), keys, ignored)).ever;
}

/**
 * The keys that the log registers, if one of the trusted keys is among them. A log without registered keys is signed by
 * the trusted keys themselves. A key without an endorsement must be trusted, except for the first one.
 */
async function readKeys(
  reader: AuditReader,
  head: AuditHead | undefined,
  trusted: readonly TrustedKey[],
  problems: AuditProblems,
): Promise<RegisteredKeys> {
  const changes = head === undefined ? [] : await reader.auditKeys();
  if (head === undefined || trusted.length === 0 || changes.length === 0)
    return { now: trusted, ever: trusted };
  const anchors = new Set(trusted.map(({ key }) => keyText(key)));
  const ever = new Set<string>();
  let set = noKeys;
  for (const change of changes) {
    const next = nextKeys(set, change, head.origin);
    const isNewRoot = next !== undefined && set.root !== undefined && next.root !== set.root;
    if (next === undefined || (isNewRoot && !anchors.has(change.event.key))) {
      const message = `No registered key endorsed the change of ${change.event.key}.`;
      problems.add("key-unendorsed", message, change.seq);
    } else set = next;
    for (const key of set.keys) ever.add(key);
  }
  const name = trusted[0]?.name;
  const named = (texts: Iterable<string>) => [...texts].map((text) => keyOfText(text, name));
  if (![...anchors].some((key) => ever.has(key))) {
    problems.add("key-unregistered", "None of the trusted keys is registered in the log.");
    return { now: trusted, ever: trusted };
  }
  return { now: named(set.keys), ever: [...trusted, ...named(ever)] };
}

function readNotes(
  witnessed: readonly string[],
  keys: readonly TrustedKey[],
  problems: AuditProblems,
): readonly Checkpoint[] {
  if (keys.length === 0) return [];
  return [...new Set(witnessed)].flatMap((note) => {
    const checkpoint = readCheckpoint(note, keys);
    if (checkpoint === undefined)
      problems.add("note-unsigned", "A witnessed checkpoint is not signed by any of the keys.");
    return checkpoint ?? [];
  });
}

/** The head is read after the entries. If it covers more, entries were added meanwhile or are missing. */
async function readToEnd(
  check: LogCheck,
  reader: AuditReader,
  problems: AuditProblems,
  signal: AbortSignal | undefined,
): Promise<AuditHead | undefined> {
  for (let before = -1; ; ) {
    await readEntries(check, reader, signal);
    const head = await findHead(reader, problems);
    if (head === undefined || head.seq <= check.seq || check.seq === before) return head;
    before = check.seq;
  }
}

async function readEntries(
  check: LogCheck,
  reader: AuditReader,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let page = await reader.auditAfter(check.seq, PAGE); ; ) {
    signal?.throwIfAborted();
    const last = page.at(-1);
    // Fetches the next page while this one is checked, because the engine may be another process.
    const next = last === undefined || page.length < PAGE ? undefined : reader.auditAfter(last.seq, PAGE);
    for (const row of page) check.add(row);
    if (next === undefined) return;
    page = await next;
  }
}

async function findHead(reader: AuditReader, problems: AuditProblems): Promise<AuditHead | undefined> {
  try {
    return await reader.findHead();
  } catch (error) {
    if (!(error instanceof SkillError) || error.code !== "INTEGRITY_FAILED") throw error;
    problems.add("head-differs", error.message);
    return undefined;
  }
}

/** Checkpoints of another log mean that this log replaced the witnessed one. */
function rejectStrangers(
  notes: readonly Checkpoint[],
  head: AuditHead | undefined,
  problems: AuditProblems,
): void {
  const stranger = head && notes.find(({ origin }) => origin !== head.origin);
  if (stranger !== undefined)
    problems.add("log-rewritten", `The witnessed checkpoints belong to another log, ${stranger.origin}.`);
}

function checkHead(
  head: AuditHead | undefined,
  check: LogCheck,
  keys: readonly TrustedKey[],
  problems: AuditProblems,
): boolean {
  if (head === undefined) {
    if (check.seq > 0) problems.add("head-missing", "The head of the log is missing.");
    return false;
  }
  const root = rootOf(check.frontier);
  if (head.seq > check.seq)
    problems.add("log-cut", `The head covers ${head.seq} entries, but the log has ${check.frontier.size}.`);
  if (head.seq < check.seq)
    problems.add("head-differs", `The head covers only ${head.seq} entries.`, head.seq + 1);
  if (head.seq === check.seq && !isHeadOf(head, check, root))
    problems.add("head-differs", "The head covers other entries.", check.seq);
  if (keys.length === 0) return false;
  const signed = head.note === undefined ? undefined : readCheckpoint(head.note, keys);
  const isSigned =
    signed?.origin === head.origin && signed.size === check.frontier.size && signed.root === root;
  if (!isSigned) problems.add("head-unsigned", "None of the keys has signed the current state of the log.");
  return isSigned;
}

function isHeadOf({ hash, frontier }: AuditHead, check: LogCheck, root: string): boolean {
  const { size } = check.frontier;
  return hash === check.hash && isWhole(frontier) && frontier.size === size && rootOf(frontier) === root;
}
