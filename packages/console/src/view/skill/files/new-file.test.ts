import { expect, test } from "vitest";
import { problemOf } from "./new-file.tsx";

test("a new file needs an unused path inside the skill [S-59]", () => {
  const paths = ["SKILL.md", "scripts/a.py"];
  expect(problemOf("scripts/b.py", paths)).toBeUndefined();
  for (const path of ["/etc/passwd", "../b", "a//b", "a/./b", "a\\b", "folder/", "skill.MD", "SKILL.md/b"])
    expect(problemOf(path, paths)).toBeDefined();
});
