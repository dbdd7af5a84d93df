import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { registryScene } from "../../registry.fixture.ts";

const { root, text, json, skill, write } = registryScene({ beforeEach, afterEach });

describe("init", () => {
  test("writes a valid skill that can be published unchanged [S-1] [S-60]", async () => {
    expect(await text(["init", "my-skill"])).toEqual({
      code: 0,
      out: "my-skill/SKILL.md\n",
      err: "Next: edit SKILL.md, then `skillhold validate my-skill`.\n",
    });
    expect((await text(["validate", "my-skill"])).code).toBe(0);
    expect((await text(["publish", "my-skill"])).code).toBe(0);
  });

  test.each(["context", "script", "python", "tool", "reference"])(
    "writes the template %s to the folder of --in [S-1]",
    async (template) => {
      const argv = [
        "init",
        "it",
        "--template",
        template,
        "--in",
        ".agents/skills",
        "--description",
        "Does it.",
      ];
      const { code, data } = await json(argv);
      expect(code).toBe(0);
      expect(data.folder).toBe(join(root(), ".agents/skills/it"));
      for (const file of data.files) expect(existsSync(join(data.folder, file))).toBe(true);
      expect((await json(["show", "it"])).data.entry.description).toBe("Does it.");
    },
  );

  test("overwrites no file and rejects invalid ids [S-1] [S-5]", async () => {
    write("taken/notes.txt", "mine");
    expect(await json(["init", "taken"])).toMatchObject({ code: 6, error: { code: "CONFLICT" } });
    expect(await json(["init", "My Skill"])).toMatchObject({
      code: 2,
      error: { hint: "Choose a name such as my-skill." },
    });
    expect((await json(["init", "work/My Skill/"])).error.hint).toBe(
      "Choose a name such as my-skill, and name its parent folder with --in.",
    );
    expect((await json(["init", "it", "--template", "none"])).code).toBe(2);
  });
});

describe("pack", () => {
  test("writes the same content that publish would store [S-13] [S-46]", async () => {
    skill("pdf");
    write("pdf/.git/config", "private");
    const { code, out, err } = await text(["pack", "pdf"]);
    expect({ code, out }).toEqual({ code: 0, out: "pdf.zip\n" });
    expect(err).toMatch(/1 file, \d+ B, written; tree sha256:[0-9a-f]{64}\n$/);
    const { data } = await json(["publish", "pdf.zip"]);
    expect(data.skills[0]).toMatchObject({ id: "pdf", status: "published", files: 1 });
    expect((await text(["publish", "pdf"])).out).toBe("pdf revision 1: unchanged\n");
  });

  test("writes tar.gz by extension or --format, with reproducible bytes [S-46]", async () => {
    skill("pdf");
    const first = await json(["pack", "pdf", "--out", "a.tar.gz"]);
    const second = await json(["pack", "pdf", "--format", "tar.gz"]);
    expect(first.data).toMatchObject({ id: "pdf", out: "a.tar.gz", format: "tar.gz", isDryRun: false });
    expect(second.data).toMatchObject({ out: "pdf.tar.gz", digest: first.data.digest });
    expect(readFileSync(join(root(), "a.tar.gz"))).toEqual(readFileSync(join(root(), "pdf.tar.gz")));
  });

  test("--dry-run writes no file, and an unknown extension is a usage error [S-60]", async () => {
    skill("pdf");
    expect((await text(["pack", "pdf", "--dry-run"])).err).toContain("would be written");
    expect(existsSync(join(root(), "pdf.zip"))).toBe(false);
    expect(await json(["pack", "pdf", "--out", "pdf.rar"])).toMatchObject({
      code: 2,
      error: { hint: "Add --format with one of zip, tar.gz." },
    });
  });

  test("rejects an invalid skill and keeps an existing archive [S-60]", async () => {
    write("broken/SKILL.md", "no frontmatter\n");
    const archive = write("broken.zip", "an older one");
    const { size } = statSync(archive);
    expect(await json(["pack", "broken", "--out", "broken.zip"])).toMatchObject({
      code: 3,
      error: { code: "SKILL_INVALID" },
    });
    expect(statSync(archive).size).toBe(size);
    expect((await json(["pack", "nowhere"])).code).toBe(5);
  });
});
