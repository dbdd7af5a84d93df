/** A defect of the store, or data that is no longer needed. */
export interface FsckFinding {
  readonly code: FsckCode;
  /** `error`: stored data is damaged; `info`: only disk space is wasted. */
  readonly severity: "error" | "warning" | "info";
  /** The blob, tree, skill or event. */
  readonly subject: string;
  readonly message: string;
  readonly isRepaired: boolean;
}

const severities = {
  BLOB_DAMAGED: "error",
  BLOB_MISSING: "error",
  BLOB_ORPHAN: "info",
  LEFTOVERS: "info",
  TREE_DAMAGED: "error",
  TREE_MISSING: "error",
  TREE_ORPHAN: "info",
  REVISION_MISSING: "error",
  REVISION_MISMATCH: "error",
  RECORD_OUTDATED: "warning",
  POINTER_WRONG: "error",
  LAST_REVISION_WRONG: "error",
  EVENT_BROKEN: "error",
  EVENT_MISSING: "error",
  COPY_DAMAGED: "warning",
  COPY_ORPHAN: "info",
} as const satisfies Record<string, FsckFinding["severity"]>;

export type FsckCode = keyof typeof severities;

/** Further findings of a badly damaged store would not help. */
const MAX_FINDINGS = 10_000;

/** Collects findings up to a limit. */
export class FsckFindings {
  readonly #findings: FsckFinding[] = [];
  #total = 0;
  #hasUnlistedDamage = false;

  add(code: FsckCode, subject: string, message: string): void {
    const severity = severities[code];
    this.#total += 1;
    if (this.#total <= MAX_FINDINGS)
      this.#findings.push({ code, severity, subject, message, isRepaired: false });
    else this.#hasUnlistedDamage ||= severity !== "info";
  }

  /** Marks the findings about a subject as repaired. */
  repair(code: FsckCode, subject: string): void {
    for (const [index, finding] of this.#findings.entries())
      if (finding.code === code && finding.subject === subject)
        this.#findings[index] = { ...finding, isRepaired: true };
  }

  subjects(...codes: readonly FsckCode[]): readonly string[] {
    return this.#findings.filter(({ code }) => codes.includes(code)).map(({ subject }) => subject);
  }

  list(): readonly FsckFinding[] {
    return this.#findings;
  }

  /** The number of findings, including those beyond the limit. */
  get total(): number {
    return this.#total;
  }

  /** Whether an unrepaired finding is more than wasted space. */
  get isDamaged(): boolean {
    const isLeft = ({ severity, isRepaired }: FsckFinding) => severity !== "info" && !isRepaired;
    return this.#hasUnlistedDamage || this.#findings.some(isLeft);
  }
}
