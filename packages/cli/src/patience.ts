import type { RegistryStore } from "@skillhold/registry/record";

const PATIENCE_MS = 3000;

type Tell = (message: string) => void;

/** Another process may hold the store for a while: who looks on is told what is waited for. */
export async function withPatience<T>(tell: Tell, work: () => Promise<T>): Promise<T> {
  const message =
    "The store does not answer yet: another process may hold it. End that one, or name another store.";
  const timer = setTimeout(() => tell(message), PATIENCE_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/** A store that tells when a change of it has to wait. Who only reads waits for nobody. */
export function patient(store: RegistryStore, tell: Tell): RegistryStore {
  return { ...store, transaction: (work) => withPatience(tell, () => store.transaction(work)) };
}
