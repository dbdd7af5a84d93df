/**
 * Measures the work since its creation: the CPU time of this thread, or the elapsed time when that is less.
 * On a busy machine, the result is the same but later.
 */
export class WorkTime {
  readonly #startedAt = performance.now();
  readonly #used = cpuUsage();

  get ms(): number {
    const { user, system } = cpuUsage(this.#used);
    return Math.min(performance.now() - this.#startedAt, (user + system) / 1000);
  }

  /** Cheap while the elapsed time is below the limit. */
  exceeds(ms: number): boolean {
    return performance.now() - this.#startedAt > ms && this.ms > ms;
  }
}

/** Node 22 only measures CPU time per process. */
function cpuUsage(since?: NodeJS.CpuUsage): NodeJS.CpuUsage {
  return process.threadCpuUsage?.(since) ?? process.cpuUsage(since);
}
