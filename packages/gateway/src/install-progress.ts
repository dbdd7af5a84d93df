import type { InstallProgressStep } from "@skillhold/protocol/http";

/** Progress for the connections of one view. */
export interface AddressedProgress {
  /** The key of the view that started the work. */
  readonly to: string;
  readonly event: InstallProgressStep;
}

/** Publishes the progress of installs to listeners. Events are not stored. */
export class InstallProgress {
  readonly #listeners = new Set<(addressed: AddressedProgress) => void>();

  publish(addressed: AddressedProgress): void {
    for (const listener of this.#listeners) listener(addressed);
  }

  listen(listener: (addressed: AddressedProgress) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
