import type { Timers } from "./timers.ts";

interface Entry {
  dueAt: number;
  /** Undefined for a timer that fires once. */
  readonly everyMs: number | undefined;
  readonly callback: () => void;
}

/** Time that passes only when a test advances it. */
export class ManualTimers implements Timers {
  readonly #entries = new Set<Entry>();
  readonly #changed = new Set<() => void>();
  #now = 0;

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    return this.#add({ dueAt: this.#now + ms, everyMs: undefined, callback });
  }

  every(ms: number, callback: () => void): () => void {
    return this.#add({ dueAt: this.#now + ms, everyMs: ms, callback });
  }

  /** The delays of the timers that are set, shortest first. */
  get delays(): readonly number[] {
    return [...this.#entries].map(({ dueAt }) => dueAt - this.#now).sort((one, other) => one - other);
  }

  /** Fires all timers that are due within this time, in their order, and sets the time that each expects. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#now = next.dueAt;
      if (next.everyMs === undefined) this.#entries.delete(next);
      else next.dueAt += next.everyMs;
      next.callback();
    }
    this.#now = end;
  }

  /** Resolves when a timer with this delay, or any timer, is set: proof that the code waits. */
  async set(ms?: number): Promise<void> {
    while (ms === undefined ? this.#entries.size === 0 : !this.delays.includes(ms)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#changed.add(resolve);
      await promise;
    }
  }

  #add(entry: Entry): () => void {
    this.#entries.add(entry);
    for (const notify of this.#changed) notify();
    this.#changed.clear();
    return () => void this.#entries.delete(entry);
  }

  #next(end: number): Entry | undefined {
    const due = [...this.#entries].filter(({ dueAt }) => dueAt <= end);
    return due.sort((one, other) => one.dueAt - other.dueAt)[0];
  }
}
