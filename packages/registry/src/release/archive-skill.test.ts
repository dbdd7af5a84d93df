import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { defaultLimits, withLimits } from "@skillhold/protocol/limits";
import { afterAll, describe, expect, test } from "vitest";
import { findArchiveSkills } from "./archive-skill.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "skillhold-find-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

function folderWith(...files: readonly string[]): string {
  const folder = mkdtempSync(join(base, "a-"));
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), "---\nname: x\ndescription: x\n---\n");
  }
  return folder;
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
    const folder = folderWith(...files);
    expect(await findArchiveSkills(folder, defaultLimits)).toEqual(
      paths.map((path) => ({ folder: path === "." ? folder : join(folder, path), path })),
    );
  });

  test.each([[["README.md"]], [["_shared/SKILL.md"]], [["demo/skills.md"]]])(
    "are missed with a word on where they were looked for in %j [S-42]",
    async (files) => {
      const error = await findArchiveSkills(folderWith(...files), defaultLimits).catch((e: unknown) => e);
      expect(error).toMatchObject({ code: "ARCHIVE_INVALID", details: { reason: "no-skill" } });
      expect(String(error)).toContain("has no SKILL.md at its top or in any of its folders");
    },
  );

  test("are not more than the limit [S-42]", async () => {
    const folder = folderWith("a/SKILL.md", "b/SKILL.md", "c/SKILL.md");
    expect(await findArchiveSkills(folder, withLimits({ archiveSkills: 3 }))).toHaveLength(3);
    await expect(findArchiveSkills(folder, withLimits({ archiveSkills: 2 }))).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
      details: { limit: "archiveSkills", max: 2 },
    });
  });
});
