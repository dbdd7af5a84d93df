import type { Timers } from "@skillhold/core/port";
import { SkillError } from "@skillhold/protocol/error";

export interface GateBounds {
  /** Concurrent tasks per key. */
  readonly ofKey: number;
  /** Concurrent tasks of all keys. */
  readonly ofAll: number;
  readonly waiting: number;
  readonly waitMs: number;
}

interface WaitingTask {
  readonly key: string;
  readonly start: () => void;
  readonly cancel: (error: SkillError) => void;
}

const RETRY_SECONDS = 10;

/** Limits concurrent expensive work. Further tasks wait for a limited time and are then rejected. */
export class HeavyGate {
  readonly #bounds: GateBounds;
  readonly #timers: Timers;
  readonly #running = new Map<string, number>();
  readonly #waiting = new Set<WaitingTask>();
  #count = 0;

  constructor(bounds: GateBounds, timers: Timers) {
    this.#bounds = bounds;
    this.#timers = timers;
  }

  /** Runs the work when the key has a free slot; throws RATE_LIMITED or INTERRUPTED when it never starts. */
  async pass<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#isFree(key)) this.#begin(key);
    else await this.#wait(key, signal);
    try {
      return await work();
    } finally {
      this.#end(key);
    }
  }

  #isFree(key: string): boolean {
    const { ofKey, ofAll } = this.#bounds;
    return this.#count < ofAll && this.#has(key) < ofKey;
  }

  #begin(key: string): void {
    this.#count += 1;
    this.#running.set(key, this.#has(key) + 1);
  }

  #end(key: string): void {
    this.#count -= 1;
    const left = (this.#running.get(key) ?? 1) - 1;
    if (left === 0) this.#running.delete(key);
    else this.#running.set(key, left);
    const next = this.#findNext();
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#begin(next.key);
    next.start();
  }

  /** The first task of the key with the fewest running tasks, so that a busy key cannot starve the others. */
  #findNext(): WaitingTask | undefined {
    let next: WaitingTask | undefined;
    for (const each of this.#waiting)
      if (this.#isFree(each.key) && (next === undefined || this.#has(each.key) < this.#has(next.key)))
        next = each;
    return next;
  }

  #has(key: string): number {
    return this.#running.get(key) ?? 0;
  }

  async #wait(key: string, signal: AbortSignal | undefined): Promise<void> {
    this.#makeRoom(key);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const cancel = (error: SkillError) => {
      if (this.#waiting.delete(entry)) reject(error);
    };
    const entry: WaitingTask = { key, start: resolve, cancel };
    this.#waiting.add(entry);
    const cancelTimer = this.#timers.after(this.#bounds.waitMs, () => cancel(busy()));
    const stop = () =>
      cancel(new SkillError("INTERRUPTED", "The request was canceled before its work started."));
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted === true) stop();
    try {
      await promise;
    } finally {
      cancelTimer();
      signal?.removeEventListener("abort", stop);
    }
  }

  /** When the queue is full, the key with the most waiting tasks loses its newest one to a key with fewer. */
  #makeRoom(key: string): void {
    if (this.#waiting.size < this.#bounds.waiting) return;
    const byKey = Map.groupBy(this.#waiting, (each) => each.key);
    const [most = []] = [...byKey.values()].sort((a, b) => b.length - a.length);
    if (most.length <= (byKey.get(key)?.length ?? 0) + 1) throw busy();
    most.at(-1)?.cancel(busy());
  }
}

function busy(): SkillError {
  return new SkillError("RATE_LIMITED", "Too many expensive requests are running.", {
    hint: `Retry in ${RETRY_SECONDS} s, and send fewer requests at a time.`,
    details: { retryAfter: RETRY_SECONDS },
  });
}
