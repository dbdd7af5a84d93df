import fc from "fast-check";
import { expect, test } from "vitest";
import { formatPages, parsePages } from "./page-range.ts";

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
  expect(parsePages(text, 5)).toEqual(indexes);
});

test.each(["0", "6", "2-9", "", "-", "a", "1,,2", "1-2-3", "1;2", "2,1-3"])(
  "%j is refused [S-40]",
  (text) => {
    expect(() => parsePages(text, 5)).toThrow();
  },
);

test("any choice of pages is written so that it is read back [S-40]", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(99), { minLength: 1 }), (indexes) => {
      expect(parsePages(formatPages(indexes), 100)).toEqual(indexes);
    }),
  );
});
