import { lstatSync, type Stats } from "node:fs";
import { stampOf } from "./stamp.ts";
import { tryStat } from "./try-stat.ts";

/** Clocks of file systems may stand still for this long: what changed later than that may have changed again unseen. */
const REST_MS = 2500;
/** More than this are looked at in turns with other work, which a check at one go is not. */
const MOST_PLACES = 512;

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

  /** Which folder a path leads to by links; what is in it is no matter here. */
  lookThrough(path: string): void {
    this.#ways.set(path, identityOf(tryStat(path)));
  }

  add(path: string, stats: Stats | undefined): void {
    const changedMs = stats === undefined ? 0 : Math.max(stats.mtimeMs, stats.ctimeMs);
    if (this.#startMs - changedMs <= REST_MS) this.#young.add(path);
    this.#places.set(path, placeStamp(stats));
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

  hasStayed(): boolean {
    for (const [path, identity] of this.#ways) if (identityOf(tryStat(path)) !== identity) return false;
    for (const [path, stamp] of this.#places) if (placeStamp(tryLstat(path)) !== stamp) return false;
    return true;
  }
}

/** A folder that something else is mounted over is on another device. */
function identityOf(stats: Stats | undefined): string {
  return stats === undefined ? "" : `${stats.dev}:${stats.ino}`;
}

function placeStamp(stats: Stats | undefined): string {
  return stats === undefined ? "" : `${stats.dev}:${stampOf(stats)}`;
}

function tryLstat(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // What cannot be looked at is as good as not there; that it stays so is what counts here.
    return undefined;
  }
}
