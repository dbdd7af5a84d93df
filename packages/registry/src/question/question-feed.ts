import { followEvents } from "../audit/follow.ts";
import type { RegistryStore, StoredEvent } from "../record/registry-store.ts";

export interface QuestionFeedPorts {
  readonly store: Pick<RegistryStore, "eventsAfter" | "lastEvent" | "onCommit">;
  /** The number of the event that it begins after. */
  readonly start: () => Promise<number>;
  readonly onEvent: (stored: StoredEvent) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Hands the events of the log on, from its start until it is stopped or fails. */
export class QuestionFeed {
  readonly #stopping = new AbortController();
  readonly #started = Promise.withResolvers<void>();
  /** Resolves when nothing of it is under way any more; it never fails. */
  readonly ended: Promise<void>;

  constructor(ports: QuestionFeedPorts) {
    this.ended = this.#run(ports);
  }

  /** Resolves when every event that is committed from then on will be handed on, or when it has failed. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #run({ store, start, onEvent, onFailure }: QuestionFeedPorts): Promise<void> {
    const { signal } = this.#stopping;
    try {
      const seq = await start();
      this.#started.resolve();
      for await (const stored of followEvents(seq, { signal }, store)) onEvent(stored);
    } catch (error) {
      onFailure(error);
    } finally {
      this.#started.resolve();
    }
  }
}
