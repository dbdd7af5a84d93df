import { setImmediate } from "node:timers/promises";
import type { AuditSink } from "@skillhold/core/port";
import type { SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { RegistryStore } from "../record/registry-store.ts";

export interface RegistryAuditOptions {
  /** Keeps signed notes away from the store, so that a log that is put back to an earlier state is found out. */
  readonly witness?: (note: string) => Promise<void>;
  /** How many events there are between two notes; there is one at the end in any case. */
  readonly noteEvery?: number;
}

type LogStore = Pick<RegistryStore, "transaction" | "findHead">;

interface Waiting {
  readonly event: SkillEvent;
  readonly written: PromiseWithResolvers<void>;
}

const NOTE_EVERY = 1000;
/** More at once would keep other writers of the store waiting. */
const BATCH = 1000;
const QUIET_TURNS = 4;
const MOST_TURNS = 200;

/**
 * The log of a registry as a sink. A record is durable before `record` resolves. Records that come while others are
 * being written wait together, and are written in one transaction: when it fails, all of them fail.
 */
export class RegistryAudit implements AuditSink {
  readonly #store: LogStore;
  readonly #witness: RegistryAuditOptions["witness"];
  readonly #noteEvery: number;
  readonly #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #isClosed = false;
  /** Events since the last note that was kept. */
  #unwitnessed = 0;

  constructor(store: LogStore, { witness, noteEvery = NOTE_EVERY }: RegistryAuditOptions = {}) {
    this.#store = store;
    this.#witness = witness;
    this.#noteEvery = noteEvery;
  }

  async record(event: SkillEvent): Promise<void> {
    if (this.#isClosed) throw new SkillError("USAGE", "The audit log is closed.");
    const written = Promise.withResolvers<void>();
    this.#waiting.push({ event, written });
    this.#writing ??= this.#writeAll();
    await written.promise;
  }

  /** Waits for what is being written; nothing can be recorded any more. Fails when no note of it could be kept. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
    await this.#keepNote();
  }

  /** Never fails: each failure is told to those who wait for it. */
  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather();
      await this.#write(this.#waiting.splice(0, BATCH));
      // What was recorded is durable, with or without a note of it; the next one is tried later, and at the end.
      if (this.#unwitnessed >= this.#noteEvery) await this.#keepNote().catch(() => {});
    }
    // In the same turn as the last look at those who wait, or the next one would wait for ever.
    this.#writing = undefined;
  }

  /**
   * Lets those that are about to record come along: as long as others keep coming, and no longer. One who is alone
   * waits for a few turns of an idle loop, which take no time beside a commit.
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
      this.#unwitnessed += batch.length;
      for (const { written } of batch) written.resolve();
    } catch (error) {
      // An event that cannot be kept is the fault of the one who recorded it, and no other's.
      if (batch.length > 1 && !isOfStore(error)) for (const each of batch) await this.#write([each]);
      else for (const { written } of batch) written.reject(error);
    }
  }

  async #keepNote(): Promise<void> {
    if (this.#witness === undefined || this.#unwitnessed === 0) return;
    const counted = this.#unwitnessed;
    const note = (await this.#store.findHead())?.note;
    if (note !== undefined) await this.#witness(note);
    this.#unwitnessed -= counted;
  }
}

function isOfStore(error: unknown): boolean {
  return error instanceof SkillError && (error.code === "STORE_FAILED" || error.code === "INTEGRITY_FAILED");
}
