import { SerialQueue } from "@skillhold/core/async";
import type { CancelTimer, Timers } from "@skillhold/core/port";
import type { Db } from "./db.ts";

export interface CommitWatchPorts {
  readonly db: Pick<Db, "listen">;
  readonly timers: Timers;
  /** A number that changes with every commit of any process. */
  readonly number: () => Promise<number>;
  /** The polling interval. */
  readonly everyMs: number;
}

/**
 * Notifies listeners of commits by any process. The engine reports most commits at once; polling finds the
 * others, and then the subscription is renewed.
 */
export class CommitWatch {
  readonly #ports: CommitWatchPorts;
  readonly #listeners = new Set<() => void>();
  #stopPolling: CancelTimer | undefined;
  #stopListening: (() => Promise<void>) | undefined;
  #seen: number | undefined;
  #isCheckDue = false;
  #isNotified = false;
  /** Starting, stopping and checking run one after the other. */
  readonly #queue = new SerialQueue();

  constructor(ports: CommitWatchPorts) {
    this.#ports = ports;
  }

  async add(listener: () => void): Promise<() => Promise<void>> {
    // A new function, so that the same listener can be added twice.
    const own = () => listener();
    this.#listeners.add(own);
    try {
      await this.#queue.run(() => this.#start());
    } catch (error) {
      this.#listeners.delete(own);
      throw error;
    }
    return async () => {
      this.#listeners.delete(own);
      await this.#queue.run(() => this.#stopIfIdle());
    };
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#queue.run(() => this.#stopIfIdle());
  }

  async #start(): Promise<void> {
    if (this.#stopPolling !== undefined || this.#listeners.size === 0) return;
    await this.#listen();
    this.#seen = await this.#ports.number();
    const { timers, everyMs } = this.#ports;
    this.#stopPolling = timers.every(everyMs, () => this.#checkSoon(false));
  }

  async #listen(): Promise<void> {
    await this.#stopListening?.();
    this.#stopListening = undefined;
    this.#stopListening = await this.#ports.db.listen(() => this.#checkSoon(true));
  }

  async #stopIfIdle(): Promise<void> {
    if (this.#listeners.size > 0) return;
    this.#stopPolling?.();
    this.#stopPolling = undefined;
    await this.#stopListening?.();
    this.#stopListening = undefined;
  }

  /** Many commits cause one check, as long as it has not started. */
  #checkSoon(isNotified: boolean): void {
    this.#isNotified ||= isNotified;
    if (this.#isCheckDue) return;
    this.#isCheckDue = true;
    // If the store is unreachable, the next check may succeed, and readers get the error.
    this.#queue.run(() => this.#check()).catch(() => {});
  }

  /** The number is read before the listeners are called, so that they see all commits up to it. */
  async #check(): Promise<void> {
    const isNotified = this.#isNotified;
    this.#isNotified = false;
    this.#isCheckDue = false;
    if (this.#listeners.size === 0) return;
    const before = this.#seen;
    try {
      this.#seen = await this.#ports.number();
    } finally {
      if (isNotified || this.#seen !== before)
        for (const listener of this.#listeners) queueMicrotask(listener);
    }
    if (!isNotified && this.#seen !== before) await this.#listen();
  }
}
