import { lstatSync, type Stats } from "node:fs";
import { Pace } from "./pace.ts";
import { findRealPath } from "./real-path.ts";
import { stampOf } from "./stamp.ts";
import { tryStat } from "./try-stat.ts";

/** Clocks of file systems may stand still for this long: what changed later than that may have changed again unseen. */
const REST_MS = 2500;
/** With more than this, packing anew costs little beside it, and what is kept would be large. */
const MOST_PLACES = 512;
const MOST_OMITTED = 512;
const PLACES_BETWEEN_RESTS = 128;

/**
 * All that packing has looked at to decide what is in a bundle. As long as it stays, packing again would give the same,
 * and a stat for each place tells that it has stayed.
 */
export class PackTrace {
  readonly #places = new Map<string, string>();
  readonly #young = new Set<string>();
  readonly #ways = new Map<string, string>();
  readonly #startMs: number;
  #isWhole = true;

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  /** Contract: called before the place is read, so that a change meanwhile shows later. The first look counts. */
  look(path: string): void {
    if (!this.#places.has(path)) this.add(path, tryLstat(path));
  }

  /** Which folder a path leads to by links, and where that lies; what is in it is no matter here. */
  lookThrough(path: string): void {
    this.#ways.set(path, wayOf(path));
  }

  add(path: string, stats: Stats | undefined): void {
    // Anyone can set the other time of a file, to one that is yet to come as well.
    const isOld = this.#startMs - (stats?.ctimeMs ?? 0) > REST_MS;
    if (!isOld) this.#young.add(path);
    this.#places.set(path, placeStamp(stats));
  }

  /** What is left out is kept with the bundle, and has no limit that is as low as that of files. */
  countOmitted(count: number): void {
    if (count > MOST_OMITTED) this.spoil();
  }

  /** Something counted that may become another without a sign. */
  spoil(): void {
    this.#isWhole = false;
  }

  /** Whether a change of a place that was looked at would show: it had not changed just before. */
  isAtRest(path: string): boolean {
    return this.#places.has(path) && !this.#young.has(path);
  }

  /** Whether a change of any of them would show. */
  get isTrusted(): boolean {
    return this.#isWhole && this.#young.size === 0 && this.#places.size <= MOST_PLACES;
  }

  async hasStayed(): Promise<boolean> {
    const pace = new Pace(PLACES_BETWEEN_RESTS);
    for (const [path, way] of this.#ways) if (wayOf(path) !== way) return false;
    for (const [path, stamp] of this.#places) {
      if (placeStamp(tryLstat(path)) !== stamp) return false;
      if (pace.isDue()) await pace.rest();
    }
    return true;
  }
}

/**
 * A folder that something else is mounted over is on another device, and one that was moved is reached by a link: its
 * files lie no longer where they were packed.
 */
function wayOf(path: string): string {
  const stats = tryStat(path);
  const real = stats === undefined ? undefined : findRealPath(path);
  return stats === undefined || real === undefined ? "" : `${stats.dev}:${stats.ino}:${real}`;
}

function placeStamp(stats: Stats | undefined): string {
  return stats === undefined ? "" : stampOf(stats);
}

function tryLstat(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // What cannot be looked at is as good as not there; that it stays so is what counts here.
    return undefined;
  }
}
