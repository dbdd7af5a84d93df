import { join } from "node:path";
import { MemoryTree } from "@skillhold/core/bundle";
import { defaultLimits, withLimits } from "@skillhold/protocol/limits";
import { describe, expect, test } from "vitest";
import { findArchiveSkills } from "./archive-skill.ts";

function treeWith(...files: readonly string[]): MemoryTree {
  const tree = new MemoryTree();
  for (const file of files) tree.add(file, new TextEncoder().encode("---\nname: x\ndescription: x\n---\n"));
  return tree;
}

describe("the skills of an archive", () => {
  test.each([
    ["at the top", ["SKILL.md", "scripts/a.py"], ["."]],
    ["in one folder", ["demo/SKILL.md", "demo/a.md"], ["demo"]],
    ["in many folders", ["b/SKILL.md", "a/SKILL.md", "README.md"], ["a", "b"]],
    [
      "deep in a repository",
      ["repo-main/skills/a/SKILL.md", "repo-main/skills/b/SKILL.md"],
      ["repo-main/skills/a", "repo-main/skills/b"],
    ],
    ["beside folders of helpers", ["_shared/SKILL.md", "a/SKILL.md", "a/_draft/SKILL.md"], ["a"]],
    ["in each other", ["SKILL.md", "more/inner/SKILL.md"], [".", "more/inner"]],
    ["as deep as paths may be", [`${"d/".repeat(15)}SKILL.md`], ["d/".repeat(15).slice(0, -1)]],
  ])("are found %s [S-42]", async (_, files, paths) => {
    const tree = treeWith(...files);
    expect(await findArchiveSkills(tree, defaultLimits)).toEqual(
      paths.map((path) => ({ folder: path === "." ? tree.root : join(tree.root, path), path })),
    );
  });

  test.each([[["README.md"]], [["_shared/SKILL.md"]], [["demo/skills.md"]]])(
    "are missed with a word on where they were looked for in %j [S-42]",
    async (files) => {
      const error = await findArchiveSkills(treeWith(...files), defaultLimits).catch((e: unknown) => e);
      expect(error).toMatchObject({ code: "ARCHIVE_INVALID", details: { reason: "no-skill" } });
      expect(String(error)).toContain("has no SKILL.md at its top or in any of its folders");
    },
  );

  test("are not more than the limit [S-42]", async () => {
    const tree = treeWith("a/SKILL.md", "b/SKILL.md", "c/SKILL.md");
    expect(await findArchiveSkills(tree, withLimits({ archiveSkills: 3 }))).toHaveLength(3);
    await expect(findArchiveSkills(tree, withLimits({ archiveSkills: 2 }))).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
      details: { limit: "archiveSkills", max: 2 },
    });
  });
});
