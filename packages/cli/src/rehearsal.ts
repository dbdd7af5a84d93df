import type { RegistryStore, RegistryTransaction } from "@skillhold/registry/record";

/** A store whose transactions are all undone: what a verb answers on it is what would happen, refusals included. */
export function rehearse(store: RegistryStore): RegistryStore {
  const transaction = async <T>(work: (tx: RegistryTransaction) => Promise<T>): Promise<T> => {
    let answer: { readonly value: T } | undefined;
    try {
      return await store.transaction<never>(async (tx) => {
        answer = { value: await work(tx) };
        throw new Error("It was only rehearsed.");
      });
    } catch (error) {
      if (answer === undefined) throw error;
      return answer.value;
    }
  };
  return { ...store, transaction };
}
