import type { DependencyEvent } from "@skillhold/protocol/http";

/** What goes on at this gateway and is kept nowhere, told to whoever listens. */
export class Progress {
  readonly #listeners = new Set<(event: DependencyEvent) => void>();

  tell(event: DependencyEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  listen(listener: (event: DependencyEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
