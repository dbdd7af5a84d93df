import fc from "fast-check";
import { expect, test } from "vitest";
import { splitByWords } from "./split-words.ts";

test("separates matches in any case [S-59]", () => {
  expect(splitByWords("Fill PDF forms", ["pdf"])).toEqual([
    { part: "Fill ", isMatch: false, at: 0 },
    { part: "PDF", isMatch: true, at: 5 },
    { part: " forms", isMatch: false, at: 8 },
  ]);
});

test("the parts join to the text for any words [S-59]", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.array(fc.string({ unit: "grapheme" })), (text, words) => {
      const parts = splitByWords(text, words);
      expect(parts.map(({ part }) => part).join("")).toBe(text);
    }),
  );
});

test("separates a word with its endings, but not inside another word [S-59]", () => {
  const marked = (text: string, word: string) =>
    splitByWords(text, [word]).flatMap(({ part, isMatch }) => (isMatch ? [part] : []));
  expect(marked("forms, formatted, a form; reform", "form")).toEqual(["forms", "form"]);
  expect(marked("表格填写", "填写")).toEqual(["填写"]);
});
