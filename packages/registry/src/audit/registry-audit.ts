import { setImmediate } from "node:timers/promises";
import type { AuditSink } from "@skillhold/core/port";
import type { SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { RegistryStore } from "../record/registry-store.ts";

type LogStore = Pick<RegistryStore, "transaction">;

interface Waiting {
  readonly event: SkillEvent;
  readonly written: PromiseWithResolvers<void>;
}

/** Larger batches would block other writers of the store. */
const BATCH = 1000;
const QUIET_TURNS = 4;
const MOST_TURNS = 200;

/**
 * An audit sink that writes to the log of a registry. An event is durable when `record` resolves. Concurrent
 * events are written in one transaction; a store failure rejects all of them.
 */
export class RegistryAudit implements AuditSink {
  readonly #store: LogStore;
  readonly #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #isClosed = false;

  constructor(store: LogStore) {
    this.#store = store;
  }

  async record(event: SkillEvent): Promise<void> {
    if (this.#isClosed) throw new SkillError("USAGE", "The audit log is closed.");
    const written = Promise.withResolvers<void>();
    this.#waiting.push({ event, written });
    this.#writing ??= this.#writeAll();
    await written.promise;
  }

  /** Waits for pending events and rejects new ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
  }

  /** Never rejects: each failure goes to the callers of `record`. */
  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather();
      await this.#write(this.#waiting.splice(0, BATCH));
    }
    // Reset in the same turn as the last check of the queue; otherwise the next event would never be written.
    this.#writing = undefined;
  }

  /**
   * Collects concurrent events while more keep arriving. A single event waits for a few turns of an idle
   * loop, which is negligible compared to a commit.
   */
  async #gather(): Promise<void> {
    for (let turn = 0, quiet = 0; turn < MOST_TURNS && quiet < QUIET_TURNS; turn += 1) {
      const before = this.#waiting.length;
      await setImmediate();
      quiet = this.#waiting.length > before ? 0 : quiet + 1;
    }
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
