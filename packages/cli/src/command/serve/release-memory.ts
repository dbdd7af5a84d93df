import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** A collection of a larger heap would block requests for longer than 100 ms. */
const MAX_HEAP_BYTES = 128 * 1024 * 1024;
/** Two halves of 16 MB. V8 would grow it to 128 MB, which saves no measurable time. */
const YOUNG_BYTES = 30 * 1024 * 1024;

/**
 * Frees the memory that only the start needed. The launcher keeps the young generation small for `serve`. From here on it
 * may grow, in one step, because a gateway under load with a small one spends its time on collections. The one collection
 * makes V8 return unused pages a few seconds later, which it otherwise delays for minutes.
 */
export function releaseStartMemory(): void {
  if (getHeapStatistics().used_heap_size < MAX_HEAP_BYTES) collect();
  boundYoungGeneration();
}

function collect(): void {
  setFlagsFromString("--expose-gc");
  const gc: () => void = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  gc();
}

/** V8 changes the size only after a collection, and reads the factor each time; an idle process becomes small again. */
function boundYoungGeneration(): void {
  let factor: number | undefined;
  const choose = () => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    const next = (young?.space_size ?? 0) < YOUNG_BYTES ? 16 : 1;
    if (next !== factor) setFlagsFromString(`--semi-space-growth-factor=${next}`);
    factor = next;
  };
  choose();
  new PerformanceObserver(choose).observe({ entryTypes: ["gc"] });
}
