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
    return this.#count < ofAll && (this.#running.get(key) ?? 0) < ofKey;
  }

  #begin(key: string): void {
    this.#count += 1;
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
  }

  #end(key: string): void {
    this.#count -= 1;
    const left = (this.#running.get(key) ?? 1) - 1;
    if (left === 0) this.#running.delete(key);
    else this.#running.set(key, left);
    // The first whose key has room: one that waits for its own others keeps nobody else.
    const next = this.#waiting.values().find((each) => this.#isFree(each.key));
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#begin(next.key);
    next.start();
  }

  async #wait(key: string, signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.size >= this.#bounds.waiting) throw busy();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const entry: Waiting = { key, start: resolve };
    this.#waiting.add(entry);
    const giveUp = (error: SkillError) => {
      if (this.#waiting.delete(entry)) reject(error);
    };
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
}

function busy(): SkillError {
  return new SkillError("RATE_LIMITED", "Too much of this kind is under way.", {
    hint: `Wait ${RETRY_SECONDS} s, then try again, with fewer at a time.`,
    details: { retryAfter: RETRY_SECONDS },
  });
}
