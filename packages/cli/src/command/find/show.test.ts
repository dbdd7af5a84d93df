import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runJson, runMain, skillText, writeFile } from "../../fake-host.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-show-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("show", () => {
  beforeEach(() => {
    const needs = "metadata: { openclaw: { requires: { env: [PDF_KEY] } } }\ntags: [office]\n";
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "Reads PDF.", "Do.\n", needs));
    writeFile(root, "skills/pdf/scripts/run.sh", "echo\n");
    writeFile(root, ".agents/skills/pdf/SKILL.md", skillText("pdf", "Another."));
  });

  test("prints fields, readiness with reasons, hashes, files with roles, and shadowed skills [S-16] [S-60]", async () => {
    const { code, out, err } = await runMain(["show", "pdf"], root);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    for (const part of [
      "pdf\n  description   Reads PDF.\n",
      "  tags          office\n",
      "  source        skills\n",
      "  trust         third_party: from a project, an agent, an installation or a server\n",
      "  path          skills/pdf\n",
      "  readiness     needs-config: the environment variable PDF_KEY is not set\n",
      "  tree hash     sha256:",
      "files\n  SKILL.md  instructions, ",
      "  scripts/run.sh  script, 5 B\n",
      "shadows\n  .agents/skills/pdf (.agents/skills)\n",
    ])
      expect(out).toContain(part);
  });

  test("returns the same as JSON [S-16] [S-60]", async () => {
    const { data } = await runJson(["show", "pdf"], root);
    expect(data).toMatchObject({
      entry: { id: "pdf", readiness: { state: "needs-config" } },
      treeHash: expect.stringMatching(/^sha256:/),
      skillHash: expect.stringMatching(/^sha256:/),
      files: [{ path: "SKILL.md" }, { path: "scripts/run.sh", role: "script", size: 5 }],
      shadowed: [{ source: ".agents/skills", by: { source: "skills" } }],
    });
  });
});

describe("a skill that cannot be shown", () => {
  beforeEach(() => {
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "x", "", "runtime: [other]\n"));
    writeFile(root, "skills/broken/SKILL.md", "none\n");
  });

  test.each([
    ["pdf", 5, "SKILL_NOT_FOUND", "hidden from this viewer", "skillhold explain pdf --root skills"],
    ["broken", 3, "SKILL_INVALID", "cannot be loaded", "skillhold validate"],
    ["brokn", 5, "SKILL_NOT_FOUND", "There is no skill brokn.", "Did you mean broken?"],
    ["zzz", 5, "SKILL_NOT_FOUND", "There is no skill zzz.", "skillhold list --root skills"],
  ])("%s exits %i with %s and a reason [S-19] [S-60]", async (id, exit, code, message, hint) => {
    for (const command of ["show", "read"]) {
      const result = await runJson([command, id, "--root", "skills"], root);
      expect(result).toMatchObject({
        code: exit,
        error: { code, message: expect.stringContaining(message), hint: expect.stringContaining(hint) },
      });
    }
  });
});
