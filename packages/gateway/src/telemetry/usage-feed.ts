import { setImmediate as nextTurn } from "node:timers/promises";
import { pause, type Timers } from "@skillhold/core/port";
import { SkillError } from "@skillhold/protocol/error";
import { followEvents, Usage } from "@skillhold/registry/audit";
import type { RegistryStore, StoredEvent } from "@skillhold/registry/record";

type Feed = Pick<RegistryStore, "eventsAfter" | "lastEvent" | "onCommit">;

const EVENTS_PER_TURN = 500;
const RETRY_MS = 1000;

export interface UsageFeedPorts {
  readonly onError: (error: unknown) => void;
  /** Receives each event of the log once. */
  readonly onEvent: (stored: StoredEvent) => void;
  readonly timers: Timers;
}

/** Usage statistics of skills, updated from the audit log while the gateway runs. */
export class UsageFeed {
  readonly #stop = new AbortController();
  readonly #onError: (error: unknown) => void;
  readonly #onEvent: (stored: StoredEvent) => void;
  readonly #timers: Timers;
  readonly #usage = new Usage();
  #following: Promise<void> | undefined;

  constructor({ onError, onEvent, timers }: UsageFeedPorts) {
    this.#onError = onError;
    this.#onEvent = onEvent;
    this.#timers = timers;
  }

  /** The statistics up to the last event that was read; after a start they may lag behind. */
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

  /** Reports failures and continues at the same event. After a restored log the statistics stop. */
  async #follow(store: Feed): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#read(store, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#onError(error);
        if (error instanceof SkillError && error.code === "INTEGRITY_FAILED") return;
        await pause(RETRY_MS, this.#timers, { signal, isBackground: true });
      }
    }
  }

  async #read(store: Feed, signal: AbortSignal): Promise<void> {
    for await (const stored of followEvents(this.#usage.upTo, { signal }, store)) {
      this.#usage.add(stored);
      this.#onEvent(stored);
      // Yields so that a long log does not block requests.
      if (stored.seq % EVENTS_PER_TURN === 0) await nextTurn();
    }
  }
}
