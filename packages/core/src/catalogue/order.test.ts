import fc from "fast-check";
import { expect, test } from "vitest";
import { selectFirst } from "./order.ts";

test("selecting the first equals sorting all and cutting [S-22]", () => {
  const items = fc.array(fc.record({ key: fc.integer({ min: 0, max: 50 }) }), { maxLength: 200 });
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 60 }), (list, count) => {
      const compare = (a: { key: number }, b: { key: number }): number => a.key - b.key;
      const keys = list.map(({ key }) => key).toSorted((a, b) => a - b);
      expect(selectFirst(list, count, compare).map(({ key }) => key)).toEqual(keys.slice(0, count));
    }),
    { numRuns: 1000 },
  );
});

test("compares a value that cannot be among the first only once [S-22]", () => {
  const items = Array.from({ length: 10_000 }, (_, key) => ({ key }));
  let comparisons = 0;
  selectFirst(items, 40, (a, b) => {
    comparisons += 1;
    return a.key - b.key;
  });
  expect(comparisons).toBeLessThan(11_000);
});
