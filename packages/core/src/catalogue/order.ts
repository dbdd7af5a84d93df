import type { SkillEntry } from "@skillhold/protocol";

/** A skill with what decides its place. */
export interface Candidate {
  readonly entry: SkillEntry;
  /** Its place among the pinned ones, from 0; infinite when it is not pinned. */
  readonly pin: number;
  readonly score: number;
}

export interface Ranking {
  /** Ids in the order they shall stand in. */
  readonly pinned: readonly string[];
  /** Id to score, higher is better; a skill without one comes after all that have one. */
  readonly rank: ReadonlyMap<string, number>;
}

/** The `count` skills to show, in order: pinned, by score, ready ones first, by the day of the last edit, by id. */
export function selectEntries(
  entries: readonly SkillEntry[],
  count: number,
  { pinned, rank }: Ranking,
): readonly Candidate[] {
  const pins = new Map(pinned.toReversed().map((id, at) => [id, pinned.length - 1 - at]));
  const candidates = entries.map((entry) => ({
    entry,
    pin: pins.get(entry.id) ?? Number.POSITIVE_INFINITY,
    score: scoreOf(entry.id, rank),
  }));
  return selectFirst(candidates, count, compareCandidates);
}

function scoreOf(id: string, rank: ReadonlyMap<string, number>): number {
  const score = rank.get(id);
  return score === undefined || Number.isNaN(score) ? Number.NEGATIVE_INFINITY : score;
}

function compareCandidates(a: Candidate, b: Candidate): number {
  if (a.pin !== b.pin) return a.pin - b.pin;
  if (a.score !== b.score) return b.score - a.score;
  const isReady = a.entry.readiness.state === "ready";
  if (isReady !== (b.entry.readiness.state === "ready")) return isReady ? -1 : 1;
  const [day, otherDay] = [dayOf(a.entry), dayOf(b.entry)];
  if (day !== otherDay) return day > otherDay ? -1 : 1;
  if (a.entry.id === b.entry.id) return 0;
  return a.entry.id < b.entry.id ? -1 : 1;
}

/** Days, because skills that are installed together differ by milliseconds. */
function dayOf({ lastModified }: SkillEntry): string {
  return lastModified.slice(0, "2026-01-01".length);
}

/**
 * The first `count` items in order, without sorting the rest: what comes after the last one kept so far is passed
 * over at the cost of one comparison.
 */
export function selectFirst<T extends object>(
  items: readonly T[],
  count: number,
  compare: (a: T, b: T) => number,
): readonly T[] {
  const best: T[] = [];
  let last: T | undefined;
  for (const item of items) {
    if (last !== undefined && compare(item, last) >= 0) continue;
    best.push(item);
    if (best.length < 2 * count) continue;
    best.sort(compare).length = count;
    last = best[count - 1];
  }
  return best.sort(compare).slice(0, count);
}
