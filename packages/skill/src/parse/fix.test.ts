import { expect, test } from "vitest";
import { fixText, parseSkill } from "./parse.ts";

test("only the broken line is rewritten; comments, order, line ends and the mark stay [S-3]", () => {
  const text =
    "\uFEFF---\r\n# who\r\nname: demo # the name\r\ndescription: Use when: asked\nlicense:   MIT\r\n---\r\n# Body\r\ntext: with: colons\r\n";
  const fixed = fixText(parseSkill(text));
  expect(fixed).toBe(text.replace("Use when: asked", "'Use when: asked'"));
  expect(parseSkill(fixed).repaired).toBe(false);
});

test("a file that reads is returned as it is [S-3]", () => {
  for (const text of ["---\nname: a\n---\n", "no frontmatter", "---\nname: [unclosed"])
    expect(fixText(parseSkill(text))).toBe(text);
});
