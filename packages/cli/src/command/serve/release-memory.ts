import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** A collection of a larger heap would block requests for longer than 100 ms. */
const MAX_HEAP_BYTES = 128 * 1024 * 1024;

/**
 * Frees the memory that only the start needed. The launcher keeps the young generation small for `serve`. From here on it
 * may grow, in one step, because a gateway under load with a small one spends its time on collections. The one collection
 * makes V8 return unused pages a few seconds later, which it otherwise delays for minutes.
 */
export function releaseStartMemory(): void {
  if (getHeapStatistics().used_heap_size < MAX_HEAP_BYTES) collect();
  setFlagsFromString("--semi-space-growth-factor=16");
}

function collect(): void {
  setFlagsFromString("--expose-gc");
  const gc: () => void = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  gc();
}
