import { SkillError } from "@skillhold/protocol/error";

export interface GateBounds {
  /** At a time, of one key and of all. */
  readonly ofKey: number;
  readonly ofAll: number;
  readonly waiting: number;
  readonly waitMs: number;
}

interface Waiting {
  readonly key: string;
  readonly start: () => void;
  readonly giveUp: (error: SkillError) => void;
}

const RETRY_SECONDS = 10;

/** Lets few that take much memory or time work at once: the next waits for a while, and is then refused. */
export class HeavyGate {
  readonly #bounds: GateBounds;
  readonly #running = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #count = 0;

  constructor(bounds: GateBounds) {
    this.#bounds = bounds;
  }

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

  /** Of those whose key has room, the first of the key that has least: who wants much keeps nobody from a little. */
  #findNext(): Waiting | undefined {
    let next: Waiting | undefined;
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
    const giveUp = (error: SkillError) => {
      if (this.#waiting.delete(entry)) reject(error);
    };
    const entry: Waiting = { key, start: resolve, giveUp };
    this.#waiting.add(entry);
    const timer = setTimeout(() => giveUp(busy()), this.#bounds.waitMs);
    const stop = () => giveUp(new SkillError("INTERRUPTED", "It was called off before it was begun."));
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted === true) stop();
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }

  /** Where all places to wait at are taken, whoever has most of them gives one to who has fewer. */
  #makeRoom(key: string): void {
    if (this.#waiting.size < this.#bounds.waiting) return;
    const byKey = Map.groupBy(this.#waiting, (each) => each.key);
    const [most = []] = [...byKey.values()].sort((a, b) => b.length - a.length);
    if (most.length <= (byKey.get(key)?.length ?? 0) + 1) throw busy();
    most.at(-1)?.giveUp(busy());
  }
}

function busy(): SkillError {
  return new SkillError("RATE_LIMITED", "Too much of this kind is under way.", {
    hint: `Wait ${RETRY_SECONDS} s, then try again, with fewer at a time.`,
    details: { retryAfter: RETRY_SECONDS },
  });
}
