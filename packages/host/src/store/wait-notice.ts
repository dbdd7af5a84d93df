import { systemTimers, type Timers } from "@skillhold/core/port";
import type { RegistryStore } from "@skillhold/registry/record";

const NOTICE_AFTER_MS = 3000;

type Notify = (message: string) => void;

/** Runs work on the store and notifies the user when it takes long, because another process may hold the lock. */
export async function withWaitNotice<T>(
  notify: Notify,
  work: () => Promise<T>,
  timers: Timers = systemTimers,
): Promise<T> {
  const message =
    "The store is not answering yet: another process may hold its lock. Stop that process, or name another store.";
  const cancel = timers.after(NOTICE_AFTER_MS, () => notify(message));
  try {
    return await work();
  } finally {
    cancel();
  }
}

/** A store that notifies the user when a write has to wait. Reads never wait. */
export function noticingStore(store: RegistryStore, notify: Notify): RegistryStore {
  return { ...store, transaction: (work) => withWaitNotice(notify, () => store.transaction(work)) };
}
