import type { RegistryStore } from "@skillhold/registry/record";

const NOTICE_AFTER_MS = 3000;

type Notify = (message: string) => void;

/** Runs work on the store and notifies the user when it takes long, because another process may hold the lock. */
export async function withWaitNotice<T>(notify: Notify, work: () => Promise<T>): Promise<T> {
  const message =
    "The store is not answering yet: another process may hold its lock. Stop that process, or name another store.";
  const timer = setTimeout(() => notify(message), NOTICE_AFTER_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/** A store that notifies the user when a write has to wait. Reads never wait. */
export function noticingStore(store: RegistryStore, notify: Notify): RegistryStore {
  return { ...store, transaction: (work) => withWaitNotice(notify, () => store.transaction(work)) };
}
