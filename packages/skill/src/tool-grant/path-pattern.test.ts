import { posix } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matchesPath } from "./path-pattern.ts";

const places = { folder: "/skills/pdf", workingFolder: "/project" };

describe("a path pattern", () => {
  test.each([
    ["docs/**", "docs/a/b.md"],
    ["./docs/**", "/project/docs/a.md"],
    ["/docs/**", "docs/a.md"],
    ["docs/", "docs/a/b.md"],
    ["docs/*.md", "docs/a.md"],
    ["**/*.md", "a.md"],
    ["**/*.md", "a/b/c.md"],
    ["a?c", "abc"],
    ["docs/**/x/**/y", "docs/a/x/b/c/y"],
    ["//etc/hosts", "/etc/hosts"],
    ["docs/a.md", "./docs//a.md"],
    ["${CLAUDE_SKILL_DIR}/references/**", "/skills/pdf/references/forms.md"],
    ["{baseDir}/a.md", "/skills/pdf/a.md"],
  ])("%s matches %s [S-30]", (pattern, path) => {
    expect(matchesPath(pattern, path, places)).toBe(true);
  });

  test.each([
    ["docs/**", "docs/../secret"],
    ["docs/**", "../docs/a"],
    ["docs/**", "/docs/a"],
    ["docs/**", "docsx/a"],
    ["docs/*", "docs/a/b"],
    ["docs/*.md", "docs/a.mdx"],
    ["**", "/etc/passwd"],
    ["**", "~/x"],
    ["**", "~root/x"],
    ["**", "a\\..\\b"],
    ["**", "C:/x"],
    ["**", "file:///etc/passwd"],
    ["**", "a\0b"],
    ["**", ""],
    ["a?c", "a/c"],
    ["//etc/hosts", "etc/hosts"],
    ["Docs/a", "docs/a"],
    ["${CLAUDE_SKILL_DIR}/**", "/skills/pdfx/a"],
    ["${CLAUDE_SKILL_DIR}/**", "/skills/pdf/../other/a"],
    ["x/${CLAUDE_SKILL_DIR}/**", "x/a"],
    ["${CLAUDE_SKILL_DIR}x/**", "/skills/pdfx/a"],
  ])("%s does not match %s [S-30]", (pattern, path) => {
    expect(matchesPath(pattern, path, places)).toBe(false);
  });

  test("without a working folder, relative paths never match absolute ones [S-30]", () => {
    expect(matchesPath("docs/**", "docs/a")).toBe(true);
    expect(matchesPath("docs/**", "/docs/a")).toBe(false);
    expect(matchesPath("${CLAUDE_SKILL_DIR}/a", "/skills/pdf/a")).toBe(false);
  });

  test("a star in the name of the skill's folder is not a wildcard [S-30]", () => {
    expect(matchesPath("{baseDir}/a", "/skills/other/a", { folder: "/skills/*" })).toBe(false);
  });

  test("no path leaves the folder at the end of a pattern [S-30]", () => {
    const path = fc
      .array(fc.constantFrom("docs", "..", ".", "/", "a", "*", "~", "\\", "//"))
      .map((each) => each.join("/"));
    fc.assert(
      fc.property(path, (each) => {
        if (!matchesPath("docs/**", each, places)) return;
        expect(posix.resolve("/project", each)).toMatch(/^\/project\/docs(?:\/|$)/);
      }),
    );
  });
});
