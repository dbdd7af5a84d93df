import { type Random, seededRandom } from "./random.ts";

/** An estimate with the bounds of its 95 % interval. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const Z95 = 1.959963984540054;

/** The Wilson score interval of a rate; undefined without a trial. */
export function wilson(successes: number, trials: number, z = Z95): Interval | undefined {
  if (trials === 0) return undefined;
  const rate = successes / trials;
  const squared = z * z;
  const center = (rate + squared / (2 * trials)) / (1 + squared / trials);
  const spread =
    (z / (1 + squared / trials)) * Math.sqrt((rate * (1 - rate)) / trials + squared / (4 * trials * trials));
  // At the ends the bound is exact, and rounding would miss it.
  const low = successes === 0 ? 0 : center - spread;
  const high = successes === trials ? 1 : center + spread;
  return { value: rate, low, high };
}

export interface BootstrapOptions {
  readonly seed?: number;
  readonly rounds?: number;
  /** Share of resamples outside the interval; 0.05 by default. */
  readonly alpha?: number;
}

const ROUNDS = 2000;

/** The percentile bootstrap interval of a mean. Contract: `values` are independent of each other. */
export function bootstrapMean(
  values: readonly number[],
  options: BootstrapOptions = {},
): Interval | undefined {
  const { seed = 42, rounds = ROUNDS, alpha = 0.05 } = options;
  if (values.length === 0) return undefined;
  const random = seededRandom(seed);
  const means = Array.from({ length: rounds }, () => resampledMean(values, random)).toSorted((a, b) => a - b);
  return {
    value: mean(values),
    low: quantile(means, alpha / 2),
    high: quantile(means, 1 - alpha / 2),
  };
}

function resampledMean(values: readonly number[], random: Random): number {
  let sum = 0;
  for (let draw = 0; draw < values.length; draw += 1)
    sum += values[Math.floor(random() * values.length)] ?? 0;
  return sum / values.length;
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The sample standard deviation; 0 for fewer than two values. */
export function deviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const center = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - center) ** 2, 0) / (values.length - 1));
}

/** Contract: `sorted` is sorted and not empty. */
function quantile(sorted: readonly number[], share: number): number {
  const at = share * (sorted.length - 1);
  const low = sorted[Math.floor(at)] ?? 0;
  const high = sorted[Math.ceil(at)] ?? low;
  return low + (high - low) * (at - Math.floor(at));
}

/** Whether an interval of a difference leaves out zero. */
export function isSignificant({ low, high }: Interval): boolean {
  return low > 0 || high < 0;
}
