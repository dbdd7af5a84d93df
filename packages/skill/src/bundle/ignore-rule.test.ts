import { expect, test } from "vitest";
import { compileIgnoreRules, isOmitted } from "./ignore-rule.ts";

test.each([
  ["SKILL.md", false],
  ["notes.md", false],
  ["debug.log", true],
  ["keep.log", false],
  ["build/a.js", true],
  ["scripts/node_modules/x/i.js", true],
  ["assets/._icon.png", true],
  ["Thumbs.db", true],
])("decides for %s whether the bundle omits it [S-13]", (path, omitted) => {
  const rules = compileIgnoreRules([
    { name: ".gitignore", text: "*.log\nSKILL.md\n# build\n" },
    { name: ".skillignore", text: "!keep.log\r\nbuild/\r\n" },
  ]);
  expect(isOmitted(path, rules)).toBe(omitted);
});

test.each([
  ["too many rules", "x\n".repeat(501)],
  ["a long rule", "x".repeat(257)],
  ["many wildcards", "*a*a*a*a*a*a*a"],
  ["many folder wildcards", "**/a/**/b/**/c/**"],
])("rejects an ignore file with %s [S-13]", (_, text) => {
  expect(() => compileIgnoreRules([{ name: ".skillignore", text }])).toThrow(
    expect.objectContaining({ code: "LIMIT_EXCEEDED", details: { path: ".skillignore" } }),
  );
});
