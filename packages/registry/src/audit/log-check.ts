import { SkillEvent } from "@skillhold/protocol";
import type { AuditRow, Frontier } from "../record/registry-store.ts";
import type { AuditProblems } from "./audit-problem.ts";
import { canonicalJson } from "./canonical-json.ts";
import { CHAIN_START, chainHash } from "./chain.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { ActorCheck, columnText } from "./event-actor.ts";
import { appendLeaf, emptyFrontier, rootOf } from "./merkle.ts";
import { PrunedEntries } from "./pruning.ts";

/** Checks a log entry by entry in bounded memory. */
export class LogCheck {
  readonly #problems: AuditProblems;
  /** Witnessed checkpoints, smallest log first. */
  readonly #checkpoints: Checkpoint[];
  #frontier: Frontier = emptyFrontier;
  readonly #pruned = new PrunedEntries();
  readonly #actors = new ActorCheck();
  #seq = 0;
  #hash = CHAIN_START;

  constructor(checkpoints: readonly Checkpoint[], problems: AuditProblems) {
    this.#checkpoints = checkpoints.toSorted((one, other) => one.size - other.size);
    this.#problems = problems;
  }

  /** The number of the last entry; 0 for an empty log. */
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
    const isPruned = this.#pruned.add(row);
    if (row.seq === this.#seq + 1) {
      // The root covers the hash of a pruned entry.
      if (!isPruned && row.hash !== chainHash(this.#hash, row.body))
        this.#problems.add("chain-broken", "The hash does not follow from the previous entry.", row.seq);
    } else {
      // After a gap there is no hash to compare with.
      this.#problems.add("entry-missing", `The entries after ${this.#seq} are missing.`, row.seq);
    }
    if (isPruned) this.#actors.skip();
    const problem = isPruned ? undefined : findEntryProblem(row, this.#actors);
    if (problem !== undefined) this.#problems.add("entry-changed", problem, row.seq);
    this.#seq = row.seq;
    this.#hash = row.hash;
    this.#frontier = appendLeaf(this.#frontier, row.hash);
    this.#compare();
  }

  /** Reports checkpoints beyond the end of the log, wrong actors, and entries that were removed without a record. */
  end(): void {
    for (const seq of this.#actors.unresolved()) this.#problems.add("entry-changed", WRONG_ACTOR, seq);
    for (const { first, last } of this.#pruned.unrecorded())
      this.#problems.add(
        "entry-removed",
        `The log does not record the pruning of ${first} to ${last}.`,
        first,
      );
    for (const { size } of this.#checkpoints)
      this.#problems.add("log-cut", `The log had ${size} entries before and now has ${this.#frontier.size}.`);
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
        this.#problems.add("log-rewritten", `The first ${size} entries were changed.`, this.#seq);
    }
  }
}

const WRONG_ACTOR = "The agent or person column differs from the entries of the session.";

/** The defect of a single entry; undefined if it is intact. */
function findEntryProblem(row: AuditRow, actors: ActorCheck): string | undefined {
  const value = parse(row.body);
  const { success, data } = SkillEvent.safeParse(value);
  if (!success) return "The body is not an event.";
  if (!isCanonical(value, row.body)) return "The body is not in canonical form.";
  if (row.at !== data.at) return "The time column differs from the body.";
  if (row.type !== data.type) return "The type column differs from the body.";
  if (row.skill !== columnText("skill" in data ? data.skill : undefined))
    return "The skill column differs from the body.";
  if (row.session !== columnText("session" in data ? data.session : undefined))
    return "The session column differs from the body.";
  if (!actors.isTrue(row, data)) return WRONG_ACTOR;
  return undefined;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // The schema rejects a body that is not JSON.
    return undefined;
  }
}

/** Skips sorting if the keys are in order. Integer-like keys are always ordered as numbers, not as text. */
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
