import { setImmediate } from "node:timers/promises";
import { type AuditSink, systemTimers, type Timers } from "@skillhold/core/port";
import type { SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { RegistryStore } from "../record/registry-store.ts";

type LogStore = Pick<RegistryStore, "transaction">;

interface Waiting {
  readonly event: SkillEvent;
  readonly written: Pick<PromiseWithResolvers<void>, "resolve" | "reject">;
}

/** Larger batches would block other writers of the store. */
const BATCH = 1000;
/** The longest time to wait for other events, also after a slow write. */
const MAX_WAIT_MS = 10;

/**
 * An audit sink that writes to the log of a registry. An event is durable when `record` resolves. Concurrent
 * events are written in one transaction; a store failure rejects all of them.
 */
export class RegistryAudit implements AuditSink {
  readonly #store: LogStore;
  readonly #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #isClosed = false;
  readonly #timers: Pick<Timers, "now" | "after">;
  /** The number of events to wait for. */
  #expected = 1;
  /** The duration of the last write. */
  #writeMs = 0;
  #onGathered: (() => void) | undefined;

  constructor(store: LogStore, timers: Pick<Timers, "now" | "after"> = systemTimers) {
    this.#store = store;
    this.#timers = timers;
  }

  async record(event: SkillEvent): Promise<void> {
    await this.recordAll([event]);
  }

  async recordAll(events: readonly SkillEvent[]): Promise<void> {
    if (this.#isClosed) throw new SkillError("USAGE", "The audit log is closed.");
    if (events.length === 0) return;
    const written = Promise.withResolvers<void>();
    let left = events.length;
    const resolve = () => {
      left -= 1;
      if (left === 0) written.resolve();
    };
    for (const event of events) this.#waiting.push({ event, written: { resolve, reject: written.reject } });
    if (this.#waiting.length >= this.#expected) this.#onGathered?.();
    this.#writing ??= this.#writeAll();
    await written.promise;
  }

  /** Waits for pending events and rejects new ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#onGathered?.();
    await this.#writing;
  }

  /** Never rejects: each failure goes to the callers of `record`. */
  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather();
      const batch = this.#waiting.splice(0, BATCH);
      const start = this.#timers.now();
      await this.#write(batch);
      this.#writeMs = this.#timers.now() - start;
      this.#expected = Math.min(batch.length + this.#waiting.length, BATCH);
    }
    // Reset in the same turn as the last check of the queue; otherwise the next event would never be written.
    this.#writing = undefined;
  }

  /**
   * Waits for the callers that recorded lately, which saves their next commits: those of the last batch, and those that came
   * while it was written. A single caller waits for one turn, and a batch at most twice as long as the last write.
   */
  async #gather(): Promise<void> {
    await setImmediate();
    if (this.#waiting.length >= this.#expected || this.#isClosed) return;
    const gathered = Promise.withResolvers<void>();
    this.#onGathered = gathered.resolve;
    const cancel = this.#timers.after(Math.min(2 * this.#writeMs, MAX_WAIT_MS), gathered.resolve);
    await gathered.promise;
    cancel();
    this.#onGathered = undefined;
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    try {
      await this.#store.transaction((tx) => tx.appendAll(batch.map(({ event }) => event)));
      for (const { written } of batch) written.resolve();
    } catch (error) {
      // An invalid event must fail only for its own caller.
      if (batch.length > 1 && !isOfStore(error)) for (const each of batch) await this.#write([each]);
      else for (const { written } of batch) written.reject(error);
    }
  }
}

const STORE_CODES: ReadonlySet<string> = new Set([
  "STORE_FAILED",
  "DISK_FULL",
  "INTEGRITY_FAILED",
  "CONFIG_INVALID",
]);

function isOfStore(error: unknown): boolean {
  return error instanceof SkillError && STORE_CODES.has(error.code);
}
