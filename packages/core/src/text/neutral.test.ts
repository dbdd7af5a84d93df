import { codePointLength } from "@skillhold/skill";
import fc from "fast-check";
import { expect, test } from "vitest";
import { usedMs } from "../../../../tests/used-time.ts";
import { neutralText } from "./neutral.ts";

test.each([
  ["plain ASCII", "Read, create and merge PDF files.", "Read, create and merge PDF files."],
  ["other scripts", "技能 – Ελληνικά עברית हिन्दी", "技能 – Ελληνικά עברית हिन्दी"],
  ["line breaks", "one\r\ntwo\u2028three\u2029four\u0085five\vsix", "one two three four five six"],
  ["runs of space", "  a \t\u00a0\u3000 b\u2800c  ", "a b c"],
  ["colours", "\x1b[1;31mred\x1b[0m \x9b32mgreen", "red green"],
  ["a terminal title", "a\x1b]0;owned\x07b\x1b]0;owned\x1b\\c\x9d0;owned\x9cd", "abcd"],
  ["a hyperlink", "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\", "click"],
  ["a device string", "a\x1bP1;2|abc\x1b\\b", "ab"],
  ["a reset and a character set", "a\x1bcb\x1b(0c", "abc"],
  ["an unfinished sequence, kept as text", "\x1b]0;title", "0;title"],
  ["a sequence in a sequence", "\x1b\x1b[0m[31mred", "[31mred"],
  ["other controls", "a\0b\bc\x7fd\x84e", "abcde"],
  ["bidi controls", "a\u202eb\u2066c\u2069\u200fd\u061ce", "abcde"],
  ["zero widths", "p\u200ba\u200cy\u2060p\ufeffa\u00adl\u180ee", "paypale"],
  ["the tag block", "a\u{e0041}\u{e0042}\u{e007f}b\u{e0001}", "ab"],
  ["variation selectors", "a\ufe00\ufe0f\u{e0100}\u{e01ef}b", "ab"],
  ["fillers", "a\u3164\u115f\uffa0b", "ab"],
  ["lone surrogates and noncharacters", "a\ud800b\udc00c\uffffd\ufdd0", "abcd"],
  ["emoji sequences", "👩‍💻 ❤️ 👍🏽 🏳️‍🌈 🇩🇪", "👩‍💻 ❤️ 👍🏽 🏳️‍🌈 🇩🇪"],
  ["joiners outside of emoji", "a\u200db\ufe0f\u200d❤ ❤\u200d", "ab❤ ❤"],
  ["marks that would join our own text", "\u0338\u0301 a\u0301", "a\u0301"],
  ["nothing but invisible", "\u200b\u202e\x1b[0m \n", ""],
])("neutral text of %s [S-21]", (_, text, expected) => {
  expect(neutralText(text)).toBe(expected);
});

test.each([
  ["abcdef", 6, "abcdef"],
  ["abcdef", 5, "abcd…"],
  ["abc def", 5, "abc…"],
  ["abcdef", 1, "…"],
  ["abcdef", 0, ""],
  ["😀😀😀", 3, "😀😀😀"],
  ["😀😀😀", 2, "😀…"],
  ["ab👩‍💻cd", 5, "ab…"],
  ["ab👩‍💻cd", 4, "ab…"],
  ["ab👩‍💻cd", 6, "ab👩‍💻…"],
  ["abe\u0301cd", 4, "ab…"],
  ["a👍🏽bc", 3, "a…"],
  ["a🇩🇪🇫🇷b", 5, "a🇩🇪…"],
  ["日本語日本語", 4, "日本語…"],
])("%j cut at %i is %j [S-21]", (text, length, expected) => {
  expect(neutralText(text, length)).toBe(expected);
});

test("cuts an endless grapheme [S-21]", () => {
  const cut = neutralText(`a${"\u0301".repeat(5000)}`, 200);
  expect(codePointLength(cut)).toBe(200);
});

test("neutral text is one visible line, within the limit, and stable [S-21]", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary", maxLength: 8 }),
    fc.constantFrom(
      "\x1b[",
      "\x1b]",
      "\x07",
      "\x9b",
      "\u200d",
      "\ufe0f",
      "❤",
      "👩",
      "🏽",
      "\u0301",
      " ",
      "\n",
    ),
    fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
  );
  const text = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 40 }), (hostile, length) => {
      const neutral = neutralText(hostile, length);
      expect(codePointLength(neutral)).toBeLessThanOrEqual(length);
      expect(neutral).not.toMatch(
        /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e0fff}]| {2}/u,
      );
      expect(neutral).not.toMatch(
        /[\u200b\u200c\u200e\u200f\u2060-\u2064\ufeff]|(?<!\p{Extended_Pictographic})\ufe0f/u,
      );
      expect(neutralText(neutral, length)).toBe(neutral);
      expect(neutralText(neutral)).toBe(neutral);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ["unfinished strings", "\x1b]"],
  ["string starts of one byte", "\x9d"],
  ["unfinished colours", "\x1b[0"],
  ["invisible characters", " \u200b"],
  ["marks of two classes", "\u0301\u0316"],
  ["joined emoji", "👩‍"],
])("a long run of %s takes linear time [S-21]", (_, unit) => {
  const time = (count: number): number => {
    const text = unit.repeat(count);
    return usedMs(() => neutralText(text, 200));
  };
  time(1000);
  // Twenty times the length: quadratic time would be 400 times as long. The floor leaves room for the machine's own work.
  expect(time(100_000)).toBeLessThan(100 * Math.max(time(5000), 4));
});
