import fc from "fast-check";
import { expect, test } from "vitest";
import { isDateFormat } from "./number-format.ts";
import { isoToSerial, serialToIso } from "./serial-date.ts";

test.each([
  [45322, "2024-01-31"],
  [45322.4375, "2024-01-31T10:30:00"],
  [0.5, "12:00:00"],
  [1, "1900-01-01"],
  [59, "1900-02-28"],
  [61, "1900-03-01"],
])("day %d is %s [S-40]", (serial, iso) => {
  expect(serialToIso(serial, false)).toBe(iso);
  expect(isoToSerial(iso, false)).toBe(serial);
});

test("days survive a round trip in both systems [S-40]", () => {
  fc.assert(
    fc.property(fc.integer({ min: 61, max: 2_900_000 }), fc.boolean(), (day, is1904) => {
      expect(isoToSerial(serialToIso(day, is1904) ?? "", is1904)).toBe(day);
    }),
  );
});

test.each(["2024-02-30", "2024-13-01", "1815-06-18", "24:00:00", "tomorrow"])(
  "%s is not a valid day [S-40]",
  (text) => {
    expect(isoToSerial(text, false)).toBeUndefined();
  },
);

test.each([
  ["yyyy-mm-dd", true],
  ["[$-409]d. mmm yyyy", true],
  ["h:mm AM/PM", true],
  ["General", false],
  ['0.00 "days"', false],
  ["[Red]0.00", false],
  ["[h]:mm", false],
  ["0\\d", false],
])("the format %s shows dates: %s [S-40]", (format, isDate) => {
  expect(isDateFormat(format)).toBe(isDate);
});
