import { SkillError } from "@skillhold/protocol/error";
import type { AuditHead, RegistryReader } from "../record/registry-store.ts";
import { type AuditProblem, AuditProblems } from "./audit-problem.ts";
import { type Checkpoint, readCheckpoint, type TrustedKey } from "./checkpoint.ts";
import { LogCheck } from "./log-check.ts";
import { isWhole, rootOf } from "./merkle.ts";

export interface VerifyOptions {
  /** Whose signatures are believed. Without any, nothing is known of an end that was cut off or rewritten. */
  readonly keys: readonly TrustedKey[];
  /** Notes about this log that were kept apart from it. */
  readonly witnessed?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface AuditReport {
  readonly entries: number;
  readonly isSound: boolean;
  /** Whether someone who is believed has signed for the log as it is. */
  readonly isSigned: boolean;
  /** How many notes the log was compared with. */
  readonly witnessed: number;
  /** The first of them. */
  readonly problems: readonly AuditProblem[];
  readonly problemCount: number;
  /** What the log comes to, for whoever wants to keep it elsewhere. */
  readonly checkpoint: Checkpoint | undefined;
}

export type AuditReader = Pick<RegistryReader, "auditAfter" | "findHead">;

const PAGE = 1000;

/**
 * Verifies a log from its first entry to its last: that each is as it was written, that none is missing, that the head
 * vouches for them and is signed, and that all notes about it are true. Damage never throws.
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
    if (checkpoint === undefined) problems.add("note-unsigned", "A note was signed by none of the keys.");
    return checkpoint ?? [];
  });
}

/** The head is read after the entries, which are added with it: one that vouches for more has come meanwhile, or is cut. */
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
    // Asked for already while these are looked at: the engine may be another process.
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

/** Notes of another log beside this one: it stands in the place of the one that was vouched for. */
function rejectStrangers(
  notes: readonly Checkpoint[],
  head: AuditHead | undefined,
  problems: AuditProblems,
): void {
  const stranger = head && notes.find(({ origin }) => origin !== head.origin);
  if (stranger !== undefined)
    problems.add("log-rewritten", `Notes were kept of the log ${stranger.origin}, and this is another one.`);
}

function checkHead(
  head: AuditHead | undefined,
  check: LogCheck,
  keys: readonly TrustedKey[],
  problems: AuditProblems,
): boolean {
  if (head === undefined) {
    if (check.seq > 0) problems.add("head-missing", "Nothing vouches for the log.");
    return false;
  }
  const root = rootOf(check.frontier);
  if (head.seq > check.seq)
    problems.add(
      "log-cut",
      `The head vouches for ${head.seq} entries, and there are ${check.frontier.size}.`,
    );
  if (head.seq < check.seq)
    problems.add("head-differs", `The head vouches for ${head.seq} entries only.`, head.seq + 1);
  if (head.seq === check.seq && !isHeadOf(head, check, root))
    problems.add("head-differs", "The head vouches for other entries than these.", check.seq);
  if (keys.length === 0) return false;
  const signed = head.note === undefined ? undefined : readCheckpoint(head.note, keys);
  const isSigned =
    signed?.origin === head.origin && signed.size === check.frontier.size && signed.root === root;
  if (!isSigned) problems.add("head-unsigned", "None of the keys has signed for the log as it is.");
  return isSigned;
}

function isHeadOf({ hash, frontier }: AuditHead, check: LogCheck, root: string): boolean {
  const { size } = check.frontier;
  return hash === check.hash && isWhole(frontier) && frontier.size === size && rootOf(frontier) === root;
}
