import { expect, test } from "vitest";
import { isStrong, partsOf } from "./score-part.ts";

test("the parts of a score add up to it [S-59]", () => {
  const parts = partsOf(1.51, { bm25: 1, coverage: 1, name: 0.5, trigram: 0.2 });
  expect(parts.map(({ name }) => name)).toEqual(["keywords", "coverage", "name", "similarity", "other"]);
  expect(parts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1.51);
});

test("omits a part that adds nothing [S-59]", () => {
  expect(partsOf(1, { bm25: 1, coverage: 0, name: 0, trigram: 0 }).map(({ name }) => name)).toEqual([
    "keywords",
  ]);
});

test("a hit far below the best one, or a weak one, is not strong [S-59]", () => {
  expect(isStrong({ score: 1.2, isWeak: false }, 1.6)).toBe(true);
  expect(isStrong({ score: 0.06, isWeak: false }, 1.6)).toBe(false);
  expect(isStrong({ score: 1.6, isWeak: true }, 1.6)).toBe(false);
});
