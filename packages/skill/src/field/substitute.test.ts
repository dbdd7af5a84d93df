import fc from "fast-check";
import { expect, test } from "vitest";
import { parseSkill } from "../parse/parse.ts";
import { argumentNames, splitWords, substitute } from "./substitute.ts";

const BASE = "/skills/demo";

test.each([
  ["the folder", "Run {baseDir}/a and ${CLAUDE_SKILL_DIR}/b", "", "Run /skills/demo/a and /skills/demo/b"],
  ["all arguments", "Do $ARGUMENTS now", "x y", "Do x y now"],
  ["arguments by position", "$0-$1-$ARGUMENTS[1]", "a 'b c'", "a-b c-b c"],
  ["a position that was not given", "$0 and $5", "a", "a and $5"],
  ["named arguments", "fix $issue in $branch", "42 main", "fix 42 in main"],
  ["a named argument that was not given", "fix $issue in $branch", "42", "fix 42 in "],
  ["a name that is not declared", "cost is $price of $issue", "42", "cost is $price of 42"],
  ["an escaped dollar", "\\$ARGUMENTS and \\$0", "a", "$ARGUMENTS and $0\n\nARGUMENTS: a\n"],
  ["arguments without a place", "Do it.\n", "a b", "Do it.\n\nARGUMENTS: a b\n"],
  ["no arguments", "Do $ARGUMENTS", "", "Do "],
  ["longer words", "$ARGUMENTSX $0x", "a", "$ARGUMENTSX $0x\n\nARGUMENTS: a\n"],
])("inserts %s [S-12]", (_, body, args, expected) => {
  expect(substitute(body, { baseDir: BASE, args, names: ["issue", "branch"] })).toBe(expected);
});

test("does not expand inserted text again [S-12]", () => {
  expect(substitute("$ARGUMENTS", { baseDir: BASE, args: "$0 {baseDir} $&" })).toBe("$0 {baseDir} $&");
});

test("leaves shell commands in a prompt as text [S-12]", () => {
  const body = "Now: !`rm -rf /`\n```!\nls\n```\n";
  expect(substitute(body, { baseDir: BASE })).toBe(body);
});

test("leaves a body without placeholders unchanged [S-12]", () => {
  fc.assert(
    fc.property(
      fc.string().filter((text) => !/[${]/.test(text)),
      (body) => {
        expect(substitute(body, { baseDir: BASE })).toBe(body);
      },
    ),
  );
});

test("argument names are a list or words [S-12]", () => {
  const names = (yaml: string) => argumentNames(parseSkill(`---\n${yaml}\n---\n`).frontmatter);
  expect(names("arguments: issue branch")).toEqual(["issue", "branch"]);
  expect(names("arguments: [issue, 'not a name', branch]")).toEqual(["issue", "branch"]);
  expect(names("x: 1")).toEqual([]);
});

test.each([
  ["a  b\tc", ["a", "b", "c"]],
  [`a "b c" 'd "e"'`, ["a", "b c", 'd "e"']],
  ["a\\ b", ["a b"]],
  [`""`, [""]],
  [`un"closed quote`, ["unclosed quote"]],
  ["", []],
])("splits %j as a shell would [S-12]", (args, words) => {
  expect(splitWords(args)).toEqual(words);
});
