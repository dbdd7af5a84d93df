import { setTimeout as wait } from "node:timers/promises";
import { followEvents } from "@skillhold/registry/audit";
import type { RegistryStore, StoredEvent } from "@skillhold/registry/record";

export interface LogFeedPorts {
  readonly store: Pick<RegistryStore, "eventsAfter" | "lastEvent" | "onCommit">;
  /** Called with one event after the other; the next one waits for it. */
  readonly onEvent: (stored: StoredEvent) => Promise<void>;
  /** What came between is missed: it goes on with what is committed after it has begun anew. */
  readonly onFailure: (error: unknown) => void;
}

const AGAIN_MS = 1000;

/** The one reader of the log that all sockets of a gateway hear from. */
export class LogFeed {
  readonly #ports: LogFeedPorts;
  readonly #stopping = new AbortController();
  #started = Promise.withResolvers<void>();
  #last = 0;
  #running: Promise<void> | undefined;

  constructor(ports: LogFeedPorts) {
    this.#ports = ports;
  }

  /** The number of the last event that it has come to: those after it will be told. */
  get last(): number {
    return this.#last;
  }

  /** Resolves when everything that is committed from then on will be told. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#started = Promise.withResolvers();
        this.#ports.onFailure(error);
        // Called off, it ends with the loop.
        await wait(AGAIN_MS, undefined, { signal, ref: false }).catch(() => {});
      }
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { store, onEvent } = this.#ports;
    this.#last = await store.lastEvent();
    this.#started.resolve();
    for await (const stored of followEvents(this.#last, { signal }, store)) {
      // Before it is told: whoever joins meanwhile must know that this one is not for them.
      this.#last = stored.seq;
      await onEvent(stored);
    }
  }
}
