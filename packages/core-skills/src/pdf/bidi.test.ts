import fc from "fast-check";
import { expect, test } from "vitest";
import { isMixed, isRightToLeft, visualRuns } from "./bidi.ts";

const order = (text: string) => visualRuns(text, isRightToLeft(text)).map((run) => run.text);

test.each([
  ["plain (text)", ["plain (text)"]],
  ["שלום", ["שלום"]],
  ["שלום abc", ["abc", "שלום "]],
  ["abc שלום def", ["abc ", "שלום", " def"]],
  // Brackets between right-to-left letters are mirrored.
  ["(שלום)", [")שלום("]],
  ["שלום (abc)", ["(", "abc", "שלום )"]],
  ["מספר 12", ["12", "מספר "]],
])("orders %j as %j [S-40]", (text, expected) => {
  expect(order(text)).toEqual(expected);
});

test.each([
  ["abc", false, false],
  ["שלום", true, false],
  ["abc שלום", false, true],
  ["שלום abc", true, true],
])("finds the direction of %j [S-40]", (text, isTurned, hasBoth) => {
  expect([isRightToLeft(text), isMixed(text)]).toEqual([isTurned, hasBoth]);
});

test("keeps every character of any text once [S-40]", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "א", "ع", "1", " ", "-", "😀", "\u202e") });
  fc.assert(
    fc.property(letters, fc.boolean(), (text, isTurned) => {
      const runs = visualRuns(text, isTurned);
      const places = runs.flatMap(({ start, end }) =>
        Array.from({ length: end - start }, (_, at) => start + at),
      );
      expect(places.toSorted((one, other) => one - other)).toEqual(Array.from(text.split(""), (_, at) => at));
      expect(runs.map(({ text }) => text.length).reduce((sum, length) => sum + length, 0)).toBe(text.length);
    }),
  );
});
