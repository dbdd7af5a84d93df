import fc from "fast-check";
import { expect, test } from "vitest";
import { chooseItems, formatRanges, parseRanges } from "./range.ts";

test.each([
  [undefined, [0, 1, 2, 3, 4]],
  ["2", [1]],
  ["1-3,5", [0, 1, 2, 4]],
  ["4-", [3, 4]],
  ["-2", [0, 1]],
  ["last,1", [4, 0]],
  ["3-1", [2, 1, 0]],
  [" 2 , 4 ", [1, 3]],
])("pages %j of five are %j [S-40]", (text, indexes) => {
  expect(parseRanges(text, 5, "page")).toEqual(indexes);
});

test.each(["0", "6", "2-9", "", "-", "a", "1,,2", "1-2-3", "1;2", "2,1-3"])("rejects %j [S-40]", (text) => {
  expect(() => parseRanges(text, 5, "page")).toThrow();
});

test("any choice of pages survives a round trip [S-40]", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(99), { minLength: 1 }), (indexes) => {
      expect(parseRanges(formatRanges(indexes), 100, "page")).toEqual(indexes);
    }),
  );
});

test("items follow the order of the ranges, and a missing one is named with the total [S-40]", () => {
  expect(chooseItems("last,1-2", ["a", "b", "c"], "slide")).toEqual(["c", "a", "b"]);
  expect(() => chooseItems("4", ["a", "b", "c"], "slide")).toThrow(
    "There is no slide 4: the file has 3 slides.",
  );
  expect(() => chooseItems("1,3-1", ["a", "b", "c"], "slide")).toThrow("names slide 1 twice");
});

test("rejects ranges that repeat all items, at the first one [S-40]", () => {
  expect(() => parseRanges("1-,".repeat(40_000), 100_000, "page")).toThrow("names page 1 twice");
});
