import type { RegistryStore } from "@skillhold/registry/record";

/**
 * The store's version, queried once for all requests of one turn of the event loop. The query runs after they arrived, so
 * the number covers everything that any process committed before them.
 */
export class StoreVersion {
  readonly #store: Pick<RegistryStore, "version">;
  #query: Promise<number | undefined> | undefined;

  constructor(store: Pick<RegistryStore, "version">) {
    this.#store = store;
  }

  /** Undefined when the engine has no version. */
  current(): Promise<number | undefined> {
    this.#query ??= new Promise((resolve) => {
      setImmediate(() => {
        // A request that arrives after this point may depend on a later commit.
        this.#query = undefined;
        resolve(this.#store.version());
      });
    });
    return this.#query;
  }
}
