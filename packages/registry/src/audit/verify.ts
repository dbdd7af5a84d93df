import { SkillError } from "@skillhold/protocol/error";
import type { AuditHead, RegistryReader } from "../record/registry-store.ts";
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
  /** The number of checkpoints that the log was compared with. */
  readonly witnessed: number;
  /** The first problems. */
  readonly problems: readonly AuditProblem[];
  readonly problemCount: number;
  /** The current state, to be kept elsewhere. */
  readonly checkpoint: Checkpoint | undefined;
}

export type AuditReader = Pick<RegistryReader, "auditAfter" | "findHead">;

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
  const notes = readNotes(witnessed, keys, problems);
  const check = new LogCheck(notes, problems);
  const head = await readToEnd(check, reader, problems, signal);
  check.end();
  rejectStrangers(notes, head, problems);
  const isSigned = checkHead(head, check, keys, problems);
  return {
    entries: check.frontier.size,
    isSound: problems.count === 0,
    isSigned,
    witnessed: notes.length,
    problems: problems.list,
    problemCount: problems.count,
    checkpoint: head && { origin: head.origin, size: check.frontier.size, root: rootOf(check.frontier) },
  };
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
