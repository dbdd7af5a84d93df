import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { analyze } from "./analyzer.ts";

function terms(text: string): string {
  return analyze(text)
    .map(({ term }) => term)
    .join(" ");
}

const rows: readonly (readonly [what: string, text: string, terms: string])[] = [
  ["lower case", "Deploy DOCKER", "deploy docker"],
  ["hyphens and underscores", "react-native snake_case", "react native snake case"],
  ["camelCase, with the whole word", "sendUserName", "send user name sendusername"],
  ["an acronym before a word", "parseHTMLText", "parse html text parsehtmltext"],
  ["capitals with a plural s", "PDFs and APIs", "pdf api"],
  ["brands in their own spelling", "GitHub SwiftUI", "git hub github swift ui swiftui"],
  ["digits inside a word", "oauth2 S3Bucket utf8", "oauth2 s3 bucket s3bucket utf8"],
  ["stop words and contractions", "I don't want the user's help", "user help"],
  ["languages of one letter", "C and R, not x", "c r"],
  ["plurals", "queries boxes classes branches caches databases", "query box class branch cache database"],
  ["cookie and cookies", "cookie cookies movie movies", "cooky cooky movy movy"],
  ["words that only look like plurals", "css class aws canvas", "css class aws canvas"],
  ["accents", "Café naïve Übersicht", "cafe naive ubersicht"],
  ["accents as marks of their own", "Cafe\u0301", "cafe"],
  ["full-width letters", "ＧｉｔＨｕｂ", "git hub github"],
  ["ligatures and fractions", "ﬁle ½", "file"],
  ["Cyrillic and Greek", "Привет ΜΆΘΗΜΑ", "привет μαθημα"],
  ["Chinese in pairs", "数据分析", "数据 据分 分析"],
  ["one Chinese character", "图", "图"],
  ["Chinese beside Latin", "使用React组件", "使用 react 组件"],
  ["Chinese punctuation", "你好，世界。", "你好 世界"],
  ["Japanese, half-width kana composed", "データ ﾃﾞｰﾀ", "デー ータ デー ータ"],
  [
    "Korean in pairs, composed from its parts",
    "한국어 \u1112\u1161\u11ab\u1100\u116e\u11a8",
    "한국 국어 한국",
  ],
  ["Thai in pairs", "กขค", "กข ขค"],
  ["Chinese beyond the first plane", "𠀀𠀁𠀂", "𠀀𠀁 𠀁𠀂"],
  ["emoji and their marks", "⚠️ deploy 🚀 1️⃣ 👩‍💻", "deploy"],
  ["half a surrogate pair", "one\ud800two", "one two"],
  ["data that is no language", `${"x".repeat(41)} ${"aB3".repeat(40)} kept`, "kept"],
];

describe("the analyzer", () => {
  test.each(rows)("reads %s [S-61]", (_, text, expected) => {
    expect(terms(text)).toBe(expected);
  });

  test("analyzing its own terms returns the same terms, so users can type a term [S-61]", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."aeioschxzyASE1-é ") }), (text) => {
        for (const { term } of analyze(text)) expect(terms(term)).toBe(term);
      }),
    );
  });

  test("reports the position of each term in the text [S-61]", () => {
    const text = "🚀 Read sendUserName, 数据分析 and Café";
    const places = analyze(text).map(({ from, to }) => text.slice(from, to));
    expect(places).toEqual(["Read", "send", "User", "Name", "sendUserName", "数据", "据分", "分析", "Café"]);
  });

  test("stays within the bounds of any text [S-61]", () => {
    const hostile = fc.oneof(fc.string({ unit: "binary", maxLength: 300 }), unitString());
    fc.assert(
      fc.property(hostile, (text) => {
        for (const { term, from, to } of analyze(text)) {
          expect(term.length).toBeGreaterThan(0);
          expect(from).toBeGreaterThanOrEqual(0);
          expect(to).toBeGreaterThan(from);
          expect(to).toBeLessThanOrEqual(text.length);
        }
      }),
    );
  });
});

/** Any UTF-16 units, halves of pairs included. */
function unitString(): fc.Arbitrary<string> {
  return fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 })
    .map((units) => String.fromCharCode(...units));
}
