import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** A collection of a larger heap would block requests for longer than 100 ms. */
const MAX_HEAP_BYTES = 128 * 1024 * 1024;
/** Two halves of 16 MB. V8 would grow it to 128 MB, which saves no measurable time. */
const YOUNG_BYTES = 30 * 1024 * 1024;
/** V8 would collect a heap that grows slowly after every 8 MB, and requests wait for each collection. */
const SMALL_HEAP_BYTES = 96 * 1024 * 1024;

/**
 * Frees the memory that only the start needed. The launcher keeps the young generation small for `serve`. From here on it
 * may grow, in one step, because a gateway under load with a small one spends its time on collections. The one collection
 * makes V8 return unused pages a few seconds later, which it otherwise delays for minutes.
 */
export function releaseStartMemory(): void {
  if (getHeapStatistics().used_heap_size < MAX_HEAP_BYTES) collect();
  steerCollections();
}

function collect(): void {
  setFlagsFromString("--expose-gc");
  const gc: () => void = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  gc();
}

/** V8 reads these flags at each collection. The young generation keeps one size, and a small heap may double. */
function steerCollections(): void {
  const set = new Map<string, number>();
  const choose = () => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    const growth = {
      // An idle process makes its young generation small again.
      "semi-space-growth-factor": (young?.space_size ?? 0) < YOUNG_BYTES ? 16 : 1,
      "heap-growing-percent": getHeapStatistics().used_heap_size < SMALL_HEAP_BYTES ? 100 : 0,
    };
    for (const [flag, value] of Object.entries(growth)) {
      if (set.get(flag) !== value) setFlagsFromString(`--${flag}=${value}`);
      set.set(flag, value);
    }
  };
  choose();
  new PerformanceObserver(choose).observe({ entryTypes: ["gc"] });
}
