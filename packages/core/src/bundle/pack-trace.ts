import { diskTree, type TreeStats } from "./file-tree.ts";
import { Pace } from "./pace.ts";
import { findRealPath } from "./real-path.ts";
import { tryStat } from "./try-stat.ts";

/** The granularity of file system clocks: a file that changed more recently may change again with the same time. */
const REST_MS = 2500;
/** Above this size, checking costs as much as packing again. */
const MOST_PLACES = 512;
const MOST_OMITTED = 512;
const PLACES_BETWEEN_RESTS = 128;

/**
 * Every path that packing depended on, with its stamp. While all stamps are unchanged, packing again gives the same
 * bundle.
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

  /**
   * Contract: called before the path is read, so that a concurrent change is detected. Only the first call has an
   * effect.
   */
  look(path: string): void {
    if (!this.#places.has(path)) this.add(path, diskTree.stat(path));
  }

  /** Tracks the target folder of a path through links, without its content. */
  lookThrough(path: string): void {
    this.#ways.set(path, wayOf(path));
  }

  add(path: string, stats: Pick<TreeStats, "stamp" | "ctimeMs"> | undefined): void {
    // Only ctime is used, because any program can set mtime, even to the future.
    const isOld = this.#startMs - (stats?.ctimeMs ?? 0) > REST_MS;
    if (!isOld) this.#young.add(path);
    this.#places.set(path, stats?.stamp ?? "");
  }

  /** Omissions are stored with the bundle and have no low limit of their own. */
  countOmitted(count: number): void {
    if (count > MOST_OMITTED) this.spoil();
  }

  /** Marks the trace as unusable, because a dependency can change without a sign. */
  spoil(): void {
    this.#isWhole = false;
  }

  /** Whether a later change of a visited path would be detected. */
  isAtRest(path: string): boolean {
    return this.#places.has(path) && !this.#young.has(path);
  }

  /** Whether a later change of any path would be detected. */
  get isTrusted(): boolean {
    return this.#isWhole && this.#young.size === 0 && this.#places.size <= MOST_PLACES;
  }

  async hasStayed(): Promise<boolean> {
    const pace = new Pace(PLACES_BETWEEN_RESTS);
    for (const [path, way] of this.#ways) if (wayOf(path) !== way) return false;
    for (const [path, stamp] of this.#places) {
      if ((diskTree.stat(path)?.stamp ?? "") !== stamp) return false;
      if (pace.isDue()) await pace.rest();
    }
    return true;
  }
}

/**
 * A mount changes the device, and a moved folder changes the real path: both mean that the packed files are elsewhere.
 */
function wayOf(path: string): string {
  const stats = tryStat(path);
  const real = stats === undefined ? undefined : findRealPath(path);
  return stats === undefined || real === undefined ? "" : `${stats.dev}:${stats.ino}:${real}`;
}
