import type { RegistryStore } from "@skillhold/registry/record";

/** The same store, which says so after each transaction of this gateway: whoever wrote something reads it next. */
export function notedStore(store: RegistryStore, onWritten: () => void): RegistryStore {
  return {
    ...store,
    transaction: async (work) => {
      try {
        return await store.transaction(work);
      } finally {
        // One that failed may have been committed all the same.
        onWritten();
      }
    },
  };
}
