import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { registryScene } from "../../registry.fixture.ts";

const { root, storeFile, text, json, skill, write } = registryScene({ beforeEach, afterEach });

describe("publish", () => {
  test("takes a skill in as revision 1, says that it is unchanged, and counts on when it is not [S-41] [S-60]", async () => {
    skill("pdf");
    expect(await text(["publish", "pdf"])).toEqual({
      code: 0,
      out: "pdf revision 1: published, new and private (1 file, 48 B)\n",
      err: "",
    });
    expect((await text(["publish", "pdf"])).out).toBe("pdf revision 1: unchanged\n");
    skill("pdf", "Do more.\n");
    expect((await text(["publish", "pdf"])).out).toBe("pdf revision 2: published (1 file, 50 B)\n");
  });

  test("--json gives one result a skill, in the shape that programs rely on [S-41] [S-60]", async () => {
    skill("pdf", "Do.\n", "version: 1.2.0\n");
    const { code, err, data } = await json(["publish", "pdf"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(data).toEqual({
      skills: [
        {
          id: "pdf",
          uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
          revision: 1,
          status: "published",
          isNew: true,
          isDryRun: false,
          version: "1.2.0",
          treeHash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
          skillHash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
          trust: "user",
          visibility: "private",
          state: "active",
          bytes: expect.any(Number),
          files: 1,
          omitted: [],
          diagnostics: expect.any(Array),
          warnings: [],
          missing: [],
        },
      ],
      problems: [],
    });
  });

  test("of a folder of skills publishes each, and one that is broken keeps no other back [S-41] [S-60]", async () => {
    skill("in/a");
    skill("in/b");
    write("in/broken/SKILL.md", "no frontmatter\n");
    const { code, out, err } = await text(["publish", "in"]);
    expect(code).toBe(3);
    expect(out).toMatch(/^in-a revision 1: published.*\nin-b revision 1: published.*\n$/);
    expect(err).toMatch(
      /^in\/broken: SKILL_INVALID: .*\n {2}SKILL\.md:1:1 NO_FRONTMATTER .*\n {4}fix: .*\n3 skills: 2 published, 1 failed\n$/,
    );
    const { data } = await json(["publish", "in"]);
    expect(data.skills.map(({ status }: { status: string }) => status)).toEqual([
      "unchanged",
      "unchanged",
      "failed",
    ]);
    expect(data.skills[2]).toMatchObject({ path: "in/broken", error: { code: "SKILL_INVALID" } });
  });

  test("says which folders it did not look into for skills [S-16] [S-19]", async () => {
    skill("in/a");
    symlinkSync("/", join(root(), "in/link"));
    const { code, err } = await text(["publish", "in"]);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/^note: in\/link: .*\n$/) });
    const { data } = await json(["publish", "in"]);
    expect(data.problems).toEqual([expect.stringMatching(/^in\/link: /)]);
  });

  test("refuses the second of two folders that have one id [S-5] [S-41]", async () => {
    write("x/pdf/SKILL.md", "---\nname: pdf\ndescription: One.\n---\nDo.\n");
    write("y/pdf/SKILL.md", "---\nname: pdf\ndescription: Two.\n---\nDo.\n");
    const { code, data } = await json(["publish", "x", "y"]);
    expect(code).toBe(6);
    expect(data.skills).toMatchObject([
      { id: "pdf", status: "published" },
      { path: "y/pdf", status: "failed", error: { code: "CONFLICT" } },
    ]);
    expect((await json(["versions", "pdf"])).data.versions).toHaveLength(1);
  });

  test("refuses a skill of an archive that has the id of one before it [S-5] [S-42]", async () => {
    skill("a");
    skill("b");
    for (const id of ["a", "b"]) await text(["pack", id]);
    skill("a", "Do otherwise.\n");
    const { code, data } = await json(["publish", "a", "a.zip", "b.zip", "b"]);
    expect(code).toBe(6);
    expect(data.skills).toMatchObject([
      { id: "a", status: "published" },
      { id: "a", status: "failed", error: { code: "CONFLICT" } },
      { id: "b", status: "published" },
      { path: "b", status: "failed", error: { code: "CONFLICT" } },
    ]);
    expect((await json(["versions", "a"])).data.versions).toHaveLength(1);
  });

  describe("that is interrupted", () => {
    /** Interrupts once something was published; `in` has more skills than are published until then. */
    async function interrupt(...argv: readonly string[]) {
      for (let each = 0; each < 60; each += 1) skill(`in/s${each}`);
      await text(["publish", skill("first")]);
      const blobs = () => readdirSync(`${storeFile()}.d/blobs`).length;
      const before = blobs();
      const watch = setInterval(() => {
        if (blobs() <= before + 3) return;
        // Once: whoever interrupts again does not wait for what is being published.
        clearInterval(watch);
        process.emit("SIGINT");
      }, 1);
      try {
        return await text(["publish", ...argv]);
      } finally {
        clearInterval(watch);
      }
    }

    async function published(): Promise<readonly string[]> {
      const { data } = await json(["list", "--source", "registry"]);
      return data.skills.map(({ id }: { id: string }) => id).filter((id: string) => id !== "first");
    }

    test("says what it has published by then [S-41] [S-60]", async () => {
      const { code, out, err } = await interrupt("in");
      expect([code, err]).toEqual([130, expect.stringContaining("error: interrupted")]);
      const told = [...out.matchAll(/^(\S+) revision 1: published/gm)].map(([, id]) => id);
      expect(told.length).toBeGreaterThan(0);
      expect(told.length).toBeLessThan(60);
      expect(told.toSorted()).toEqual(await published());
    });

    test("says so as JSON, in one document with the failure [S-41] [S-60]", async () => {
      const { code, out } = await interrupt("in", "--json");
      const { ok, error } = JSON.parse(out);
      expect([code, ok, error.code]).toEqual([130, false, "INTERRUPTED"]);
      const told = error.details.skills.map(({ id }: { id: string }) => id);
      expect(told.length).toBeGreaterThan(0);
      expect(told.toSorted()).toEqual(await published());
    });
  });

  test("refuses a name that nobody has [S-60]", async () => {
    skill("pdf");
    for (const user of ["x".repeat(300), ""]) {
      const refused = { code: 2, error: { code: "USAGE", hint: expect.stringContaining("--user") } };
      expect(await json(["publish", "pdf", "--user", user])).toMatchObject(refused);
    }
  });

  test("of an archive publishes every skill that is valid [S-42] [S-60]", async () => {
    skill("a");
    skill("b");
    await text(["publish", "a", "b"]);
    await text(["export", "--all", "--out", "all.zip"]);
    const elsewhere = ["--store", "sqlite:other.db"];
    const { code, out } = await text(["publish", "all.zip", ...elsewhere]);
    expect(code).toBe(0);
    expect(out).toMatch(/^a revision 1: published.*\nb revision 1: published.*\n$/);
    const { data } = await json(["versions", "a", ...elsewhere]);
    expect(data.versions[0].provenance).toMatchObject({ source: "archive", by: { user: "ann" } });
  });

  test("takes an archive that the user named by a link, and no pipe for one [S-42] [S-60]", async () => {
    skill("a");
    await text(["pack", "a"]);
    symlinkSync("a.zip", join(root(), "latest.zip"));
    expect((await text(["publish", "latest.zip"])).out).toMatch(/^a revision 1: published/);
    execFileSync("mkfifo", [join(root(), "pipe")]);
    expect(await text(["publish", "pipe"])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^pipe: USAGE: pipe is neither a folder nor a file\.\n/),
    });
  });

  test("refuses an archive that is too large, and says how large one may be [S-60] [S-66]", async () => {
    write("x.zip", "");
    truncateSync(join(root(), "x.zip"), 21 * 1024 * 1024);
    const { code, err } = await text(["publish", "x.zip"]);
    expect(code).toBe(3);
    expect(err).toMatch(
      /^x\.zip: LIMIT_EXCEEDED: x\.zip has .*, and an archive may have .* \(limit archiveBytes\)\./,
    );
  });

  test("refuses what is no archive, what is not there, and one id for many [S-42] [S-60]", async () => {
    write("x.zip", "not an archive");
    skill("in/a");
    skill("in/b");
    expect(await text(["publish", "x.zip"])).toMatchObject({
      code: 3,
      err: expect.stringMatching(/^x\.zip: ARCHIVE_INVALID: .*\n {2}hint: .*\n$/),
    });
    expect(await json(["publish", "nowhere"])).toMatchObject({ code: 5, error: { code: "PATH_NOT_FOUND" } });
    expect(await json(["publish", "in", "--id", "one"])).toMatchObject({
      code: 2,
      error: { code: "USAGE", message: expect.stringContaining("there are 2") },
    });
    write("empty/notes.txt", "nothing");
    expect(await text(["publish", "empty"])).toMatchObject({
      code: 3,
      err: expect.stringContaining("SKILL_FILE_MISSING"),
    });
  });

  test("--id names the skill, and an id of someone else is refused [S-5] [S-41]", async () => {
    skill("pdf");
    expect((await text(["publish", "pdf", "--id", "pdf-tools"])).out).toMatch(/^pdf-tools revision 1/);
    const other = await text(["publish", "pdf", "--id", "pdf-tools", "--user", "bob"]);
    expect(other).toMatchObject({ code: 6, out: "", err: expect.stringContaining("CONFLICT") });
    expect((await text(["publish", "pdf", "--id", "No Id"])).code).toBe(2);
  });

  test("what an admin publishes is trusted as the organisation's [S-14]", async () => {
    skill("pdf");
    const { data } = await json(["publish", "pdf", "--role", "admin"]);
    expect(data.skills[0].trust).toBe("org");
  });

  test("lists what it leaves out once, and what is missing on this machine [S-38] [S-41]", async () => {
    skill("pdf");
    symlinkSync("/etc/passwd", join(root(), "pdf/link"));
    write("pdf/scripts/read.py", "import zzz_none\n");
    const { code, err } = await text(["publish", "pdf"]);
    expect(code).toBe(0);
    expect(err.match(/link/gi)).toHaveLength(2);
    expect(err).toContain("  left out: link: Links are not packed.");
    expect(err).toContain("  warning: These dependencies are missing on this machine: pip:zzz_none.\n");
    const { data } = await json(["publish", "pdf", "--dry-run"]);
    expect(data.skills[0]).toMatchObject({ state: "active", missing: ["pip:zzz_none"] });
  });

  test("--dry-run says what would happen, and makes not even the store [S-41]", async () => {
    skill("pdf");
    expect((await text(["publish", "pdf", "--dry-run"])).out).toMatch(
      /^pdf revision 1: would be published, new and private/,
    );
    expect(existsSync(storeFile())).toBe(false);
    await text(["publish", "pdf"]);
    skill("pdf", "Do more.\n");
    const { data } = await json(["publish", "pdf", "--dry-run"]);
    expect(data.skills[0]).toMatchObject({ revision: 2, status: "published", isDryRun: true });
    expect((await json(["versions", "pdf"])).data.versions).toHaveLength(1);
  });

  test("counts along where a person watches, and leaves no trace [S-60]", async () => {
    for (let each = 0; each < 3; each += 1) skill(`in/s${each}`);
    const { err } = await text(["publish", "in"], { columns: 80, env: { NO_COLOR: "1" } });
    // A line of progress is always taken away again before anything else is said.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is how a line is taken away.
    expect(err.replaceAll(/(?:\r\x1b\[2K[^\r\n]*)*\r\x1b\[2K/g, "")).toBe("3 skills: 3 published\n");
  });
});
