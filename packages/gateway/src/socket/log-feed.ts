import { pause, type Timers } from "@skillhold/core/port";
import { followEvents } from "@skillhold/registry/audit";
import type { RegistryStore, StoredEvent } from "@skillhold/registry/record";

export interface LogFeedPorts {
  readonly store: Pick<RegistryStore, "eventsAfter" | "lastEvent" | "onCommit">;
  readonly timers: Timers;
  /** Called for each event in order; the next event waits for it. */
  readonly onEvent: (stored: StoredEvent) => Promise<void>;
  /** Called when reading fails. Events until the restart are missed. */
  readonly onFailure: (error: unknown) => void;
}

const RETRY_MS = 1000;

/** The one reader of the audit log for all sockets of a gateway. */
export class LogFeed {
  readonly #ports: LogFeedPorts;
  readonly #stopping = new AbortController();
  #started = Promise.withResolvers<void>();
  #last = 0;
  #running: Promise<void> | undefined;

  constructor(ports: LogFeedPorts) {
    this.#ports = ports;
  }

  /** The number of the last event that was read; all later events will be reported. */
  get last(): number {
    return this.#last;
  }

  /** Resolves when every later commit will be reported. */
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
        await pause(RETRY_MS, this.#ports.timers, { signal, isBackground: true });
      }
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { store, onEvent } = this.#ports;
    this.#last = await store.lastEvent();
    this.#started.resolve();
    for await (const stored of followEvents(this.#last, { signal }, store)) {
      // Set before the callback: a subscription that joins meanwhile must not expect this event.
      this.#last = stored.seq;
      await onEvent(stored);
    }
  }
}
