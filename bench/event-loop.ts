import { monitorEventLoopDelay } from "node:perf_hooks";

export interface LoopBlock {
  /** The longest time that the event loop was blocked. */
  readonly blockMs: number;
  /** The same without the time of other processes: the most processor time of the thread between two turns. */
  readonly blockCpuMs: number;
}

/** Watches the event loop of this thread until the returned function is called. */
export function watchLoop(): () => LoopBlock {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  let [blockCpuMs, before] = [0, process.threadCpuUsage()];
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    blockCpuMs = Math.max(blockCpuMs, (user + system) / 1000);
    before = process.threadCpuUsage();
  }, 1).unref();
  return () => {
    clearInterval(timer);
    delay.disable();
    return { blockMs: delay.max / 1e6, blockCpuMs };
  };
}
