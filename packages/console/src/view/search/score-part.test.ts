import { expect, test } from "vitest";
import { partsOf } from "./score-part.ts";

test("the parts of a score are together the score [S-59]", () => {
  const parts = partsOf(1.51, { bm25: 1, coverage: 1, name: 0.5, trigram: 0.2 });
  expect(parts.map(({ name }) => name)).toEqual(["keywords", "coverage", "name", "similarity", "other"]);
  expect(parts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1.51);
});

test("a part that adds nothing is not told [S-59]", () => {
  expect(partsOf(1, { bm25: 1, coverage: 0, name: 0, trigram: 0 }).map(({ name }) => name)).toEqual([
    "keywords",
  ]);
});
