import { expect, test } from "vitest";
import { findFixLoss, fixText, parseSkill } from "./parse.ts";

test("rewrites only the broken line and keeps comments, order, line endings and the BOM [S-3]", () => {
  const text =
    "\uFEFF---\r\n# who\r\nname: demo # the name\r\ndescription: Use when: asked\nlicense:   MIT\r\n---\r\n# Body\r\ntext: with: colons\r\n";
  const fixed = fixText(parseSkill(text));
  expect(fixed).toBe(text.replace("Use when: asked", "'Use when: asked'"));
  expect(parseSkill(fixed).repaired).toBe(false);
});

test("returns a valid file unchanged [S-3]", () => {
  for (const text of ["---\nname: a\n---\n", "no frontmatter", "---\nname: [unclosed"])
    expect(fixText(parseSkill(text))).toBe(text);
});

test.each([
  ["tags: [a\n\n# Title\n\n- Do: it: now\n", 5],
  ["tags: [a\n\nSome prose: with: colons\nand more.\n", 5],
  ["tags: [a\n\nSome prose with: colons\n", 5],
  ["tags: a: b\n\n```sh\nls\n```\n", 5],
  ["note: a: b\n\n# a comment\nlicense: MIT\n", undefined],
  ["note: a: b\n\nlicense: MIT\n", undefined],
])("finds instructions that a repair of %j would lose [S-3]", (yaml, line) => {
  const skill = parseSkill(`---\nname: a\n${yaml}---\nBody.\n`);
  expect(findFixLoss(skill)).toBe(line);
});
