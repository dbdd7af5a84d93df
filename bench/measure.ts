/** Median milliseconds of each task, measured in turns, so that a slow moment of the machine falls on all of them. */
export async function compare(tasks: readonly (() => unknown)[], rounds = 40): Promise<readonly number[]> {
  const times = tasks.map((): number[] => []);
  for (let round = -3; round < rounds; round += 1) {
    for (const [index, task] of tasks.entries()) {
      const start = performance.now();
      await task();
      if (round >= 0) times[index]?.push(performance.now() - start);
    }
  }
  return times.map(median);
}

/** Processor time of a task, which other processes affect less than the time on a clock. */
export async function cpuMs(task: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await task();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** The time of a task at one size. */
export interface Point {
  readonly size: number;
  readonly ms: number;
}

/** The exponents of several tasks as a line of a report, or undefined for fewer than two sizes. */
export function growthLine(tasks: Readonly<Record<string, readonly Point[]>>): string | undefined {
  const exponents = Object.entries(tasks).map(([task, points]) => [task, growth(points)] as const);
  if (exponents.some(([, exponent]) => Number.isNaN(exponent))) return undefined;
  const list = exponents.map(([task, exponent]) => `${task} ${exponent.toFixed(2)}`).join(", ");
  return `growth exponents: ${list} (aim: at most 1.05)`;
}

/** The exponent of the growth of a time with the size, from the smallest and the largest size. */
export function growth(points: readonly Point[]): number {
  const sorted = points.toSorted((a, b) => a.size - b.size);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined || first.size === last.size) return Number.NaN;
  return Math.log(last.ms / first.ms) / Math.log(last.size / first.size);
}
