import { expect, test } from "vitest";
import { fileRole, isResource } from "./role.ts";

test.each([
  ["SKILL.md", "instructions"],
  ["skill.md", "instructions"],
  ["scripts/a.py", "script"],
  ["scripts/lib/a.py", "script"],
  ["tools/a.json", "tool"],
  ["references/a.md", "reference"],
  ["templates/a.txt", "template"],
  ["assets/logo.png", "asset"],
  ["examples/a.md", "example"],
  ["agents/grader.md", "agent"],
  ["evals/evals.json", "evaluation"],
  ["links.yaml", "links"],
  [".clawhubignore", "ignore"],
  ["_shared/x.py", "helper"],
  ["docs/a.md", "resource"],
  ["scripts", "resource"],
  ["docs/SKILL.md", "resource"],
  ["docs/links.yaml", "resource"],
  ["Scripts/a.py", "resource"],
] as const)("%s has the role %s [S-1]", (path, role) => expect(fileRole(path)).toBe(role));

test("references, templates, assets and any other file are resources [S-1]", () => {
  const paths = ["references/a", "templates/a", "assets/a", "a", "scripts/a", "SKILL.md", "links.yaml"];
  expect(paths.filter((path) => isResource(fileRole(path)))).toEqual([
    "references/a",
    "templates/a",
    "assets/a",
    "a",
  ]);
});
