/** What speaks against a log. */
export interface AuditProblem {
  /** The entry it is about; undefined when it is about the log as a whole. */
  readonly seq: number | undefined;
  readonly code: AuditProblemCode;
  readonly message: string;
}

export type AuditProblemCode =
  /** A number is left out. */
  | "entry-missing"
  /** An entry is not one that could have been written: not an event in canonical form, or columns that say otherwise. */
  | "entry-changed"
  /** The hash of an entry does not follow from the one before. */
  | "chain-broken"
  | "head-missing"
  /** What vouches for the log vouches for another one. */
  | "head-differs"
  /** Nobody who is believed has signed for the log as it is. */
  | "head-unsigned"
  /** There once were more entries. */
  | "log-cut"
  /** There once were others. */
  | "log-rewritten"
  /** A note that was kept apart is of nobody who is believed. */
  | "note-unsigned";

const MOST = 1000;

/** Problems as they are found; of very many the first are kept, and all are counted. */
export class AuditProblems {
  readonly list: AuditProblem[] = [];
  count = 0;

  add(code: AuditProblemCode, message: string, seq?: number): void {
    this.count += 1;
    if (this.list.length < MOST) this.list.push({ seq, code, message });
  }
}
