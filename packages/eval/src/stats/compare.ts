import { type Interval, isSignificant, mean } from "./interval.ts";
import { type Random, seededRandom } from "./random.ts";

/** The scores of one case in two arms. */
export interface PairedScores {
  readonly first: readonly number[];
  readonly second: readonly number[];
}

export interface Comparison {
  /** First arm minus second, the mean over cases, with a 95 % bootstrap interval. */
  readonly delta: Interval;
  /** How often chance alone would give a difference as large: a permutation test inside each case. */
  readonly p: number;
  readonly verdict: "better" | "worse" | "not significant";
}

const ROUNDS = 4000;
const ALPHA = 0.05;

/**
 * Compares two arms over the cases that both have scores for. "Better" needs both the bootstrap interval and the
 * permutation test, because an interval of few runs is too narrow. Undefined without a common case.
 */
export function compareArms(cases: readonly PairedScores[], seed = 42): Comparison | undefined {
  const common = cases.filter(({ first, second }) => first.length > 0 && second.length > 0);
  if (common.length === 0) return undefined;
  const observed = deltaOf(common);
  const random = seededRandom(seed);
  const resampled = Array.from({ length: ROUNDS }, () => deltaOf(resample(common, random))).toSorted(
    (a, b) => a - b,
  );
  const delta = { value: observed, low: at(resampled, ALPHA / 2), high: at(resampled, 1 - ALPHA / 2) };
  const p = permutationTest(common, observed, random);
  const isReal = p < ALPHA && isSignificant(delta);
  const verdict = isReal ? (observed > 0 ? "better" : "worse") : "not significant";
  return { delta, p, verdict };
}

function deltaOf(cases: readonly PairedScores[]): number {
  return mean(cases.map(({ first, second }) => mean(first) - mean(second)));
}

/** Draws cases, and runs inside each case. */
function resample(cases: readonly PairedScores[], random: Random): readonly PairedScores[] {
  return cases.map(() => {
    const drawn = cases[Math.floor(random() * cases.length)];
    return { first: draw(drawn?.first ?? [], random), second: draw(drawn?.second ?? [], random) };
  });
}

function draw(values: readonly number[], random: Random): readonly number[] {
  return values.map(() => values[Math.floor(random() * values.length)] ?? 0);
}

/** Exchanges runs between the arms inside each case; the share of exchanges with a difference as large. */
function permutationTest(cases: readonly PairedScores[], observed: number, random: Random): number {
  let extreme = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const shuffled = cases.map(({ first, second }) => {
      const pool = [...first, ...second];
      for (let last = pool.length - 1; last > 0; last -= 1) {
        const other = Math.floor(random() * (last + 1));
        const [a = 0, b = 0] = [pool[last], pool[other]];
        pool[last] = b;
        pool[other] = a;
      }
      return { first: pool.slice(0, first.length), second: pool.slice(first.length) };
    });
    // Sums of the same numbers in another order differ in the last bits.
    if (Math.abs(deltaOf(shuffled)) >= Math.abs(observed) - 1e-9) extreme += 1;
  }
  return (extreme + 1) / (ROUNDS + 1);
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.round(share * (sorted.length - 1))] ?? 0;
}
