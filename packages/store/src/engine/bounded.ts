/** Does something with each item, a few at a time. The first failure is thrown when all that was begun has ended. */
export async function forEachBounded<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  let failure: { readonly error: unknown } | undefined;
  const take = async () => {
    for (let next = queue.next(); !next.done && failure === undefined; next = queue.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, take));
  if (failure !== undefined) throw failure.error;
}
