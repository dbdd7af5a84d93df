/**
 * How long was worked since it was made: the processor time of this thread, or the time that has passed where that is
 * less. A machine that is busy with other things gives the same answer later, and not another one.
 */
export class WorkTime {
  readonly #startedAt = performance.now();
  readonly #used = cpuUsage();

  get ms(): number {
    const { user, system } = cpuUsage(this.#used);
    return Math.min(performance.now() - this.#startedAt, (user + system) / 1000);
  }

  /** Costs little while the time is not over by the clock either. */
  exceeds(ms: number): boolean {
    return performance.now() - this.#startedAt > ms && this.ms > ms;
  }
}

/** Node 22 knows the time of the process alone. */
function cpuUsage(since?: NodeJS.CpuUsage): NodeJS.CpuUsage {
  return process.threadCpuUsage?.(since) ?? process.cpuUsage(since);
}
