import fc from "fast-check";
import { expect, test } from "vitest";
import { matcherOf, type Replacement, replaceInSegments } from "./text-replace.ts";

function replaceIn(texts: readonly string[], replacements: readonly Replacement[], options = {}) {
  const result = [...texts];
  const segments = texts.map((text, index) => ({
    text,
    set: (changed: string) => {
      result[index] = changed;
    },
  }));
  const { pattern, replacementOf } = matcherOf(replacements, options);
  const count = replaceInSegments(segments, pattern, (match) => replacementOf(match)?.with);
  return { result, count };
}

test("splitting a text into runs does not change the result [S-40]", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 });
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 8 }), letters, letters, (texts, find, replacement) => {
      fc.pre(find !== "");
      const { result, count } = replaceIn(texts, [{ find, with: replacement }]);
      const whole = texts.join("");
      expect(result.join("")).toBe(whole.replaceAll(find, () => replacement));
      expect(count).toBe(whole.split(find).length - 1);
    }),
  );
});

test("the new text goes where the old one begins, and the rest stays in place [S-40]", () => {
  const { result } = replaceIn(["say He", "ll", "o there"], [{ find: "Hello", with: "Good day" }]);
  expect(result).toEqual(["say Good day", "", " there"]);
});

test("does not match across content that is not text [S-40]", () => {
  let changed = false;
  const set = () => {
    changed = true;
  };
  const count = replaceInSegments(
    [{ text: "a", set }, { text: "\t" }, { text: "b", set }],
    /a\tb/g,
    () => "x",
  );
  expect({ count, changed }).toEqual({ count: 0, changed: false });
});

test("the longest of several texts wins, and pattern characters are literal [S-40]", () => {
  const pairs = [
    { find: "a.c", with: "1" },
    { find: "a", with: "2" },
    { find: "$&", with: "$&$&" },
  ];
  expect(replaceIn(["a.c abc $&"], pairs).result).toEqual(["1 2bc $&$&"]);
});

test("matches whole words and any case on request [S-40]", () => {
  const pairs = [{ find: "über", with: "x" }];
  expect(replaceIn(["Überall ÜBER"], pairs, { ignoreCase: true, wholeWord: true }).result).toEqual([
    "Überall x",
  ]);
});
