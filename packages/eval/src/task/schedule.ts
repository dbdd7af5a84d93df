/** Runs jobs in order, so many at a time, while `mayBegin` agrees. The first failure stops the rest and is thrown. */
export async function schedule<T>(
  jobs: readonly (() => Promise<T>)[],
  { parallel, mayBegin = () => true }: { readonly parallel: number; readonly mayBegin?: () => boolean },
): Promise<readonly T[]> {
  const results: { readonly index: number; readonly value: T }[] = [];
  let next = 0;
  let hasFailed = false;
  const work = async () => {
    while (next < jobs.length && !hasFailed && mayBegin()) {
      const index = next;
      next += 1;
      const job = jobs[index];
      if (job === undefined) return;
      try {
        results.push({ index, value: await job() });
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  const workers = Array.from({ length: Math.max(1, Math.min(parallel, jobs.length)) }, work);
  const ended = await Promise.allSettled(workers);
  for (const each of ended) if (each.status === "rejected") throw each.reason;
  return results.toSorted((a, b) => a.index - b.index).map(({ value }) => value);
}
