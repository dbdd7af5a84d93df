import type { Answer } from "../../../api/client.ts";

export type Day = Answer<"GET /v1/skills/{id}/metrics">["days"][number];

export const SHOWN_DAYS = 30;
const DAY_MS = 86_400_000;

/** The last days in UTC, including days without use, oldest first. */
export function fillDays(days: readonly Day[], now: Date, size = SHOWN_DAYS): readonly Day[] {
  const known = new Map(days.map((day) => [day.day, day]));
  return Array.from({ length: size }, (_, at) => {
    const day = new Date(now.getTime() - (size - 1 - at) * DAY_MS).toISOString().slice(0, 10);
    return known.get(day) ?? { day, activations: 0, reads: 0, runs: 0, failures: 0 };
  });
}

export interface Bar {
  readonly day: Day;
  /** Parts of the tallest bar, from 0 to 1. */
  readonly good: number;
  readonly failed: number;
}

/** Loads, reads and runs as one bar a day, with the failures in it as a part of their own. */
export function barsOf(days: readonly Day[]): { readonly bars: readonly Bar[]; readonly most: number } {
  const most = Math.max(1, ...days.map(usesOf));
  const bars = days.map((day) => {
    const failed = Math.min(day.failures, usesOf(day));
    return { day, good: (usesOf(day) - failed) / most, failed: failed / most };
  });
  return { bars, most };
}

export function usesOf({ activations, reads, runs }: Day): number {
  return activations + reads + runs;
}
