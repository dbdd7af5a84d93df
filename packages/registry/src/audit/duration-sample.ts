/** Each bucket ends at twice the one before; the last has no end. */
const BUCKETS = 32;

/** Durations as a histogram: exact in number and in the longest, and within a factor of two in between. */
export class DurationSample {
  readonly #counts = new Uint32Array(BUCKETS);
  #size = 0;
  #max = 0;

  add(ms: number): void {
    const bucket = Math.min(BUCKETS - 1, Math.ceil(Math.log2(Math.max(1, ms))));
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#size += 1;
    this.#max = Math.max(this.#max, ms);
  }

  /** Undefined when there were none. */
  summary(): { readonly p50: number; readonly p95: number; readonly max: number } | undefined {
    if (this.#size === 0) return undefined;
    return { p50: this.#quantile(0.5), p95: this.#quantile(0.95), max: this.#max };
  }

  /** The end of the bucket that it falls into, and never more than the longest. */
  #quantile(part: number): number {
    let left = Math.ceil(this.#size * part);
    for (const [bucket, count] of this.#counts.entries()) {
      left -= count;
      if (left <= 0) return Math.min(this.#max, 2 ** bucket);
    }
    return this.#max;
  }
}
