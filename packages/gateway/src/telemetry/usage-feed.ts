import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { SkillError } from "@skillhold/protocol/error";
import { followEvents, Usage } from "@skillhold/registry/audit";
import type { RegistryStore, StoredEvent } from "@skillhold/registry/record";

type Feed = Pick<RegistryStore, "eventsAfter" | "lastEvent" | "onCommit">;

const PER_TURN = 500;
const AGAIN_MS = 1000;

/** How skills were used, kept up to date with the log for as long as the gateway runs. */
export class UsageFeed {
  readonly #stop = new AbortController();
  readonly #onError: (error: unknown) => void;
  readonly #onEvent: (stored: StoredEvent) => void;
  readonly #usage = new Usage();
  #following: Promise<void> | undefined;

  /** Each event of the log is handed on once. */
  constructor(onError: (error: unknown) => void, onEvent: (stored: StoredEvent) => void = () => {}) {
    this.#onError = onError;
    this.#onEvent = onEvent;
  }

  /** As of the last event that was read: right after a start, that may be some while ago. */
  get usage(): Usage {
    return this.#usage;
  }

  start(store: Feed): void {
    this.#following ??= this.#follow(store);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#following;
  }

  /** What fails is told, and it goes on where it was; but for a log that was put back, whose numbers stay as they were. */
  async #follow(store: Feed): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#read(store, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#onError(error);
        if (error instanceof SkillError && error.code === "INTEGRITY_FAILED") return;
        // Called off, it ends with the loop.
        await wait(AGAIN_MS, undefined, { signal, ref: false }).catch(() => {});
      }
    }
  }

  async #read(store: Feed, signal: AbortSignal): Promise<void> {
    for await (const stored of followEvents(this.#usage.upTo, { signal }, store)) {
      this.#usage.add(stored);
      this.#onEvent(stored);
      // A long log is read while requests are answered.
      if (stored.seq % PER_TURN === 0) await nextTurn();
    }
  }
}
