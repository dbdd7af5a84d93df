import fc from "fast-check";
import { expect, test } from "vitest";
import { boundList, boundText, clip, readInteger } from "./bounded.ts";

test("reading from each next offset returns the whole text for any limit [S-40]", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 200 }),
      fc.integer({ min: 2, max: 20 }),
      (text, limit) => {
        let whole = "";
        let offset: number | undefined = 0;
        while (offset !== undefined) {
          const part = boundText(text, { limit: String(limit), offset: String(offset) });
          expect(part.text.isWellFormed()).toBe(true);
          whole += part.text;
          offset = part.nextOffset;
        }
        expect(whole).toBe(text);
      },
    ),
  );
});

test("does not truncate text within the limit, and says how to read the rest of a longer one [S-40]", () => {
  expect(boundText("abc", {})).toEqual({ text: "abc", totalLength: 3, truncated: false });
  expect(boundText("abcdef", { limit: "4" })).toEqual({
    text: "abcd",
    totalLength: 6,
    truncated: true,
    nextOffset: 4,
  });
  expect(boundText("x".repeat(50_000), {}).text).toHaveLength(20_000);
});

test("lists say how many items there are, and shorten third-party names [S-40]", () => {
  expect(boundList([1, 2, 3], 2)).toEqual({ items: [1, 2], total: 3, truncated: true });
  expect(clip("abcdef", 4)).toBe("abc…");
  expect(clip("ab😀cd", 4)).toBe("ab…");
});

test.each(["x", "1.5", "-1", "11", "", "1e1"])("%j is not a number from 0 to 10 [S-40]", (value) => {
  expect(() => readInteger("n", value, { min: 0, max: 10 })).toThrow(/whole number from 0 to 10/);
});
