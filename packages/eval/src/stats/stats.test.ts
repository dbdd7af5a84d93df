import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareArms } from "./compare.ts";
import { bootstrapMean, wilson } from "./interval.ts";
import { passAtK, passHatK } from "./pass-at-k.ts";
import { seededRandom, shuffle } from "./random.ts";

describe("intervals", () => {
  test("of Wilson match the textbook [S-51]", () => {
    const interval = wilson(8, 10);
    expect(interval?.low).toBeCloseTo(0.4902, 3);
    expect(interval?.high).toBeCloseTo(0.9433, 3);
    expect(wilson(0, 0)).toBeUndefined();
    expect(wilson(0, 10)?.low).toBe(0);
    expect(wilson(10, 10)?.high).toBe(1);
  });

  test("of Wilson contain the rate and stay between 0 and 1 [S-51]", () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.integer({ min: 1, max: 1000 }), (a, n) => {
        const interval = wilson(Math.min(a, n), n);
        if (interval === undefined) return false;
        const { low, value, high } = interval;
        return low >= 0 && low <= value + 1e-12 && value <= high + 1e-12 && high <= 1;
      }),
    );
  });

  test("of the bootstrap contain the true mean in about 95 of 100 samples [S-51]", () => {
    const random = seededRandom(7);
    let held = 0;
    for (let sample = 0; sample < 200; sample += 1) {
      const values = Array.from({ length: 40 }, () => (random() < 0.3 ? 1 : 0));
      const { low, high } = bootstrapMean(values, { rounds: 500, seed: sample }) ?? { low: 1, high: 0 };
      if (low <= 0.3 && 0.3 <= high) held += 1;
    }
    expect(held).toBeGreaterThan(175);
    expect(held).toBeLessThan(200);
  });
});

describe("pass@k and pass^k", () => {
  test("equal drawing k of n runs [S-51]", () => {
    expect(passAtK(5, 2, 1)).toBeCloseTo(0.4);
    expect(passAtK(5, 2, 2)).toBeCloseTo(1 - (3 / 5) * (2 / 4));
    expect(passHatK(5, 2, 2)).toBeCloseTo((2 / 5) * (1 / 4));
    expect([passAtK(3, 3, 3), passHatK(3, 3, 3), passHatK(3, 2, 3)]).toEqual([1, 1, 0]);
    expect(passAtK(2, 1, 3)).toBeUndefined();
  });
});

describe("a comparison of two arms", () => {
  test("that are identical has delta 0 and is not significant [S-51]", () => {
    const cases = [1, 0, 0.5].map((score) => ({
      first: [score, score, score],
      second: [score, score, score],
    }));
    expect(compareArms(cases)).toMatchObject({ delta: { value: 0 }, verdict: "not significant", p: 1 });
  });

  test("with three runs of one case is not significant, however far apart they are [S-51]", () => {
    expect(compareArms([{ first: [1, 1, 1], second: [0, 0, 0] }])).toMatchObject({
      delta: { value: 1 },
      verdict: "not significant",
    });
  });

  test("finds a difference that many runs show, in either direction [S-51]", () => {
    const cases = Array.from({ length: 6 }, () => ({ first: [1, 1, 1], second: [0, 1, 0] }));
    expect(compareArms(cases)).toMatchObject({ verdict: "better", delta: { value: expect.closeTo(2 / 3) } });
    expect(compareArms(cases.map(({ first, second }) => ({ first: second, second: first })))?.verdict).toBe(
      "worse",
    );
  });

  test("takes chance for a difference in at most about 5 of 100 noisy evals [S-51]", () => {
    const random = seededRandom(3);
    const flips = (count: number) => Array.from({ length: count }, () => (random() < 0.5 ? 1 : 0));
    let wrong = 0;
    for (let trial = 0; trial < 40; trial += 1) {
      const cases = Array.from({ length: 5 }, () => ({ first: flips(3), second: flips(3) }));
      if (compareArms(cases)?.verdict !== "not significant") wrong += 1;
    }
    expect(wrong).toBeLessThanOrEqual(4);
  });

  test("leaves out cases that one arm has no score for [S-51]", () => {
    expect(compareArms([{ first: [1], second: [] }])).toBeUndefined();
  });
});

test("the same seed gives the same order [S-51]", () => {
  const items = Array.from({ length: 50 }, (_, index) => index);
  expect(shuffle(items, seededRandom(1))).toEqual(shuffle(items, seededRandom(1)));
  expect(shuffle(items, seededRandom(1))).not.toEqual(shuffle(items, seededRandom(2)));
  expect(shuffle(items, seededRandom(1)).toSorted((a, b) => a - b)).toEqual(items);
});
