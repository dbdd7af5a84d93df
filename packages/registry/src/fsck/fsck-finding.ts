/** Something that is not as it should be, or that nobody needs. */
export interface FsckFinding {
  readonly code: FsckCode;
  /** `error`: something that was acknowledged is damaged; `info`: nothing but room is wasted. */
  readonly severity: "error" | "warning" | "info";
  /** The blob, tree, skill or event that it is about. */
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

/** A store with this much damage is not told better by more of it. */
const MAX_FINDINGS = 10_000;

/** Collects findings, up to a number of them. */
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

  /** Marks what was found about something as repaired. */
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

  /** How many there are, those that are not listed included. */
  get total(): number {
    return this.#total;
  }

  /** Whether anything is left that does more than take room. */
  get isDamaged(): boolean {
    const isLeft = ({ severity, isRepaired }: FsckFinding) => severity !== "info" && !isRepaired;
    return this.#hasUnlistedDamage || this.#findings.some(isLeft);
  }
}
