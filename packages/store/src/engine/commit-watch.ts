import { SerialQueue } from "@skillhold/core/async";
import type { Db } from "./db.ts";

export interface CommitWatchPorts {
  readonly db: Db;
  /** Another number after each commit of anyone. */
  readonly number: () => Promise<number>;
  /** How often the number is looked at. */
  readonly everyMs: number;
}

/**
 * Calls back after commits of anyone, while someone listens. The engine tells of most, at once; a look at the number
 * now and then finds those it does not tell of, and after one of them the engine is asked anew to tell.
 */
export class CommitWatch {
  readonly #ports: CommitWatchPorts;
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #stopListening: (() => Promise<void>) | undefined;
  #seen: number | undefined;
  #isLookDue = false;
  #isTold = false;
  /** Starting, stopping and checking run one after the other. */
  readonly #queue = new SerialQueue();

  constructor(ports: CommitWatchPorts) {
    this.#ports = ports;
  }

  async add(listener: () => void): Promise<() => Promise<void>> {
    // One of its own, so that the same function can listen twice.
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
    if (this.#timer !== undefined || this.#listeners.size === 0) return;
    await this.#listen();
    this.#seen = await this.#ports.number();
    this.#timer = setInterval(() => this.#lookSoon(false), this.#ports.everyMs).unref();
  }

  async #listen(): Promise<void> {
    await this.#stopListening?.();
    this.#stopListening = undefined;
    this.#stopListening = await this.#ports.db.listen(() => this.#lookSoon(true));
  }

  async #stopIfIdle(): Promise<void> {
    if (this.#listeners.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#stopListening?.();
    this.#stopListening = undefined;
  }

  /** Many commits at once are one call: a look that has not begun sees them all. */
  #lookSoon(isTold: boolean): void {
    this.#isTold ||= isTold;
    if (this.#isLookDue) return;
    this.#isLookDue = true;
    // The store may not be reached: the next look may, and whoever reads meanwhile is told.
    this.#queue.run(() => this.#look()).catch(() => {});
  }

  /** The number is read before anyone is called, so that they see all that it stands for. */
  async #look(): Promise<void> {
    const isTold = this.#isTold;
    this.#isTold = false;
    this.#isLookDue = false;
    if (this.#listeners.size === 0) return;
    const before = this.#seen;
    try {
      this.#seen = await this.#ports.number();
    } finally {
      if (isTold || this.#seen !== before) for (const listener of this.#listeners) queueMicrotask(listener);
    }
    if (!isTold && this.#seen !== before) await this.#listen();
  }
}
