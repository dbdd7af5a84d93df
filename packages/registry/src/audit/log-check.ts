import { SkillEvent } from "@skillhold/protocol";
import type { AuditRow, Frontier } from "../record/registry-store.ts";
import type { AuditProblems } from "./audit-problem.ts";
import { canonicalJson } from "./canonical-json.ts";
import { CHAIN_START, chainHash } from "./chain.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { appendLeaf, emptyFrontier, rootOf } from "./merkle.ts";

/** Goes through a log entry by entry, in order, and remembers no more of it than it takes to go on. */
export class LogCheck {
  readonly #problems: AuditProblems;
  /** What was vouched for once, the shortest log first. */
  readonly #checkpoints: Checkpoint[];
  #frontier: Frontier = emptyFrontier;
  #seq = 0;
  #hash = CHAIN_START;

  constructor(checkpoints: readonly Checkpoint[], problems: AuditProblems) {
    this.#checkpoints = checkpoints.toSorted((one, other) => one.size - other.size);
    this.#problems = problems;
  }

  /** Of the last entry; 0 when there is none. */
  get seq(): number {
    return this.#seq;
  }

  get hash(): string {
    return this.#hash;
  }

  get frontier(): Frontier {
    return this.#frontier;
  }

  add(row: AuditRow): void {
    if (row.seq === this.#seq + 1) {
      if (row.hash !== chainHash(this.#hash, row.body))
        this.#problems.add("chain-broken", "Its hash does not follow from the entry before it.", row.seq);
    } else {
      // After a gap there is nothing to compare with.
      this.#problems.add(
        "entry-missing",
        `It follows entry ${this.#seq}; what was between is gone.`,
        row.seq,
      );
    }
    const problem = findEntryProblem(row);
    if (problem !== undefined) this.#problems.add("entry-changed", problem, row.seq);
    this.#seq = row.seq;
    this.#hash = row.hash;
    this.#frontier = appendLeaf(this.#frontier, row.hash);
    this.#compare();
  }

  /** What was vouched for and never came is gone. */
  end(): void {
    for (const { size } of this.#checkpoints)
      this.#problems.add(
        "log-cut",
        `There were ${size} entries once, and now there are ${this.#frontier.size}.`,
      );
    this.#checkpoints.length = 0;
  }

  #compare(): void {
    const { size } = this.#frontier;
    for (
      let next = this.#checkpoints[0];
      next !== undefined && next.size <= size;
      next = this.#checkpoints[0]
    ) {
      this.#checkpoints.shift();
      if (next.root !== rootOf(this.#frontier))
        this.#problems.add(
          "log-rewritten",
          `The first ${size} entries are not what they were once.`,
          this.#seq,
        );
    }
  }
}

/** What is wrong with an entry, seen by itself; undefined for one as it was written. */
function findEntryProblem(row: AuditRow): string | undefined {
  const value = parse(row.body);
  const { success, data } = SkillEvent.safeParse(value);
  if (!success) return "It is not an event.";
  if (!isCanonical(value, row.body)) return "Its text is not in the form that is written here.";
  if (row.at !== data.at) return "Its time is not that of its text.";
  if (row.type !== data.type) return "Its type is not that of its text.";
  if (row.skill !== columnText("skill" in data ? data.skill : undefined))
    return "Its skill is not that of its text.";
  if (row.session !== columnText("session" in data ? data.session : undefined))
    return "Its session is not that of its text.";
  return undefined;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // What is not JSON is no event either.
    return undefined;
  }
}

/** Keys that are in order already need not be put in order; numbers as keys are, but not as texts. */
function isCanonical(value: unknown, body: string): boolean {
  return (isOrdered(value) ? JSON.stringify(value) : canonicalJson(value)) === body;
}

function isOrdered(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isOrdered);
  let before = "";
  for (const [key, each] of Object.entries(value)) {
    if (key < before || !isOrdered(each)) return false;
    before = key;
  }
  return true;
}

/** As both engines can keep it. */
function columnText(text: string | undefined): string | undefined {
  return text?.toWellFormed().replaceAll("\0", "\uFFFD");
}
