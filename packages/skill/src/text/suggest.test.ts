import fc from "fast-check";
import { expect, test } from "vitest";
import { usedMs } from "../../../../tests/used-time.ts";
import { didYouMean, editDistance, suggest } from "./suggest.ts";

test.each([
  ["", "", 0],
  ["", "abc", 3],
  ["abc", "abc", 0],
  ["abc", "acb", 1],
  ["ab", "ba", 1],
  ["kitten", "sitting", 3],
])("the distance from %j to %j is %i [S-27]", (from, to, edits) => {
  expect(editDistance(from, to)).toBe(edits);
});

test("the distance is symmetric and at most the longer length [S-27]", () => {
  const word = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      expect(editDistance(a, b)).toBe(editDistance(b, a));
      expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
  );
});

test.each([
  ["pdff", ["pdf"]],
  ["code", ["code-review"]],
  ["review", ["code-review"]],
  ["Code-Reviw", ["code-review"]],
  ["my-pdf-filler", ["pdf"]],
  ["zzz", []],
  ["", []],
])("the suggestions for %j are %j [S-27]", (wanted, near) => {
  expect(suggest(wanted, ["pdf", "code-review", "weather"])).toEqual(near);
});

test("suggestions are few, in a sentence, and fast among many [S-27]", () => {
  const many = Array.from({ length: 10_000 }, (_, at) => `skill-number-${at}`);
  const used = usedMs(() => {
    expect(suggest(`skill-numbre-77${"x".repeat(5000)}`, many)).toEqual([]);
    expect(suggest("skill-numbre-77", many)).toHaveLength(3);
  });
  expect(used).toBeLessThan(2000);
  expect(didYouMean(["a", "b"])).toBe("Did you mean a or b?");
  expect(didYouMean([])).toBeUndefined();
});
