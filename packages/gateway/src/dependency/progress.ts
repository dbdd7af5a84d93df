import type { DependencyEvent } from "@skillhold/protocol/http";

/** Publishes the progress of dependency checks and installations to listeners. Events are not stored. */
export class DependencyProgress {
  readonly #listeners = new Set<(event: DependencyEvent) => void>();

  publish(event: DependencyEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  listen(listener: (event: DependencyEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
