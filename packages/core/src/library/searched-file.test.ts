import { expect, test } from "vitest";
import { selectSearchedFiles } from "./searched-file.ts";

test("references of any depth come first, then other texts of the skill [S-61]", () => {
  const paths = [
    "SKILL.md",
    "README.md",
    "LICENSE.txt",
    "guide.md",
    "references/deep/er/x.md",
    "references/a.md",
    "scripts/notes.md",
    "assets/page.md",
    "rules/one.markdown",
    "references/data.csv",
    "evals/triggers.json",
  ];
  expect(selectSearchedFiles(paths)).toEqual({
    references: ["references/a.md", "references/deep/er/x.md", "guide.md", "rules/one.markdown"],
    evaluations: ["evals/triggers.json"],
  });
});

test("files of a nested skill belong to that skill [S-61]", () => {
  const paths = ["SKILL.md", "inner/SKILL.md", "inner/references/a.md", "references/b.md"];
  expect(selectSearchedFiles(paths).references).toEqual(["references/b.md"]);
});

test("at most 128 references are read [S-61]", () => {
  const paths = Array.from({ length: 200 }, (_, at) => `references/${at}.md`);
  expect(selectSearchedFiles(paths).references).toHaveLength(128);
});
