/** A defect of the audit log. */
export interface AuditProblem {
  /** The number of the entry; undefined for the log as a whole. */
  readonly seq: number | undefined;
  readonly code: AuditProblemCode;
  readonly message: string;
}

export type AuditProblemCode =
  /** An entry number is missing. */
  | "entry-missing"
  /** An entry is not a canonical event, or its columns differ from its body. */
  | "entry-changed"
  /** An entry has no text, and the log does not record that it was pruned. */
  | "entry-removed"
  /** The hash of an entry does not follow from the previous one. */
  | "chain-broken"
  | "head-missing"
  /** The head describes another log. */
  | "head-differs"
  /** No trusted key has signed the current state. */
  | "head-unsigned"
  /** The log had more entries before. */
  | "log-cut"
  /** The log had other entries before. */
  | "log-rewritten"
  /** A witnessed checkpoint is not signed by a trusted key. */
  | "note-unsigned"
  /** No registered key endorsed a change of the keys. */
  | "key-unendorsed"
  /** None of the trusted keys is registered in the log. */
  | "key-unregistered";

const MOST = 1000;

/** Collects problems: keeps the first ones and counts all. */
export class AuditProblems {
  readonly list: AuditProblem[] = [];
  count = 0;

  add(code: AuditProblemCode, message: string, seq?: number): void {
    this.count += 1;
    if (this.list.length < MOST) this.list.push({ seq, code, message });
  }
}
