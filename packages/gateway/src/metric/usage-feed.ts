import { setImmediate as nextTurn } from "node:timers/promises";
import { followEvents, Usage } from "@skillhold/core/audit";
import type { RegistryStore } from "@skillhold/core/registry";

type Feed = Pick<RegistryStore, "eventsAfter" | "lastEvent" | "onCommit">;

const PER_TURN = 500;

/** How skills were used, kept up to date with the log for as long as the gateway runs. */
export class UsageFeed {
  readonly #stop = new AbortController();
  readonly #onError: (error: unknown) => void;
  readonly #usage = new Usage();
  #following: Promise<void> | undefined;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
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

  /** A log that was put back to an earlier state is told; the numbers stay those of before. */
  async #follow(store: Feed): Promise<void> {
    const { signal } = this.#stop;
    try {
      for await (const stored of followEvents(0, { signal }, store)) {
        this.#usage.add(stored);
        // A long log is read while requests are answered.
        if (stored.seq % PER_TURN === 0) await nextTurn();
      }
    } catch (error) {
      if (!signal.aborted) this.#onError(error);
    }
  }
}
