import type { RegistryStore } from "@skillhold/registry/record";

/**
 * The version of a store, asked once for all who come in one turn of the event loop. It is asked when they are there:
 * what was committed before one of them came, by whichever process, is in the number that it gets.
 */
export class StoreVersion {
  readonly #store: Pick<RegistryStore, "version">;
  #asking: Promise<number | undefined> | undefined;

  constructor(store: Pick<RegistryStore, "version">) {
    this.#store = store;
  }

  /** Undefined where the engine has none. */
  ask(): Promise<number | undefined> {
    this.#asking ??= new Promise((resolve) => {
      setImmediate(() => {
        // Whoever comes from now on may have seen something that this answer does not have.
        this.#asking = undefined;
        resolve(this.#store.version());
      });
    });
    return this.#asking;
  }
}
