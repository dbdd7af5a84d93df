import { execFileSync } from "node:child_process";
import { EventEmitter } from "node:events";
import { existsSync, readdirSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { registryScene } from "../../registry.fixture.ts";

const { root, storeFile, text, json, skill, write } = registryScene({ beforeEach, afterEach });

describe("publish", () => {
  test("publishes revision 1, reports an unchanged skill, and publishes revision 2 after a change [S-41] [S-60]", async () => {
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

  test("--json returns one result per skill in a stable shape [S-41] [S-60]", async () => {
    skill("pdf", "Do.\n", "version: 1.2.0\n");
    const { code, err, data } = await json(["publish", "pdf"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(data).toEqual({
      skills: [
        {
          id: "pdf",
          path: "pdf",
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
          guard: { verdict: "clean", widened: [] },
        },
      ],
      problems: [],
    });
  });

  test(".clawhubignore keeps files out of a release, and not from local agents [S-1] [S-13]", async () => {
    skill("pdf");
    write("pdf/.clawhubignore", "drafts/\n");
    write("pdf/drafts/idea.md", "First.\n");
    const local = ["--root", "pdf"];
    const read = () => text(["resource", "pdf", "drafts/idea.md", ...local]);
    const treeHash = async () => (await json(["show", "pdf", ...local])).data.treeHash;
    expect(await read()).toMatchObject({ code: 0, out: "First.\n" });
    const before = await treeHash();
    const { data } = await json(["publish", "pdf"]);
    expect(data.skills).toMatchObject([{ files: 2, omitted: [{ path: "drafts", reason: "ignored" }] }]);
    write("pdf/drafts/idea.md", "Second.\n");
    expect(await treeHash()).not.toBe(before);
    expect((await text(["publish", "pdf"])).out).toBe("pdf revision 1: unchanged\n");
  });

  test("publishes a folder with only tools under a given id, with generated metadata and a warning [S-9]", async () => {
    write("counter/tools/count.mjs", "export default {};\n");
    const refused = await text(["publish", "counter"]);
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain("The folder has tools and no SKILL.md.");
    expect(refused.err).toContain("--id");
    const { code, data } = await json(["publish", "counter", "--id", "word-counter"]);
    expect(code).toBe(0);
    expect(data.skills).toMatchObject([{ id: "word-counter", revision: 1, files: 2 }]);
    expect(data.skills[0].diagnostics).toContainEqual(
      expect.objectContaining({ code: "TOOLS_ONLY", severity: "warning" }),
    );
    expect(data.problems).toEqual([]);
    const again = await json(["publish", "counter", "--id", "word-counter"]);
    expect(again.data.skills).toMatchObject([{ status: "unchanged" }]);
    const shown = await json(["show", "word-counter"]);
    expect(shown.data.entry).toMatchObject({ id: "word-counter", description: "Tools: count." });
    const strict = await json(["validate", "counter", "--profile", "strict"]);
    expect(strict.code).not.toBe(0);
    expect(JSON.stringify(strict.data)).toContain('"TOOLS_ONLY"');
  });

  test("each row of --json has the path of its skill [S-60]", async () => {
    skill("rows/one");
    skill("rows/two");
    const first = await json(["publish", "rows"]);
    const again = await json(["publish", "rows"]);
    for (const { data } of [first, again])
      expect(data.skills.map(({ path }: { path: string }) => path)).toEqual(["rows/one", "rows/two"]);
  });

  test("publishes every skill of a folder although one is invalid [S-41] [S-60]", async () => {
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

  test("lists the folders that it did not search [S-16] [S-19]", async () => {
    skill("in/a");
    symlinkSync("/", join(root(), "in/link"));
    const { code, err } = await text(["publish", "in"]);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/^note: in\/link: .*\n$/) });
    const { data } = await json(["publish", "in"]);
    expect(data.problems).toEqual([expect.stringMatching(/^in\/link: /)]);
  });

  test("rejects the second of two folders with the same id [S-5] [S-41]", async () => {
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

  test("rejects an archived skill with the id of an earlier one [S-5] [S-42]", async () => {
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

  describe("when interrupted", () => {
    /** Interrupts after the first publication; `in` has enough skills to be still publishing then. */
    async function interrupt(...argv: readonly string[]) {
      for (let each = 0; each < 60; each += 1) skill(`in/s${each}`);
      await text(["publish", skill("first")]);
      const blobs = () => readdirSync(`${storeFile()}.d/blobs`).length;
      const before = blobs();
      const signals = new EventEmitter();
      const watch = setInterval(() => {
        if (blobs() <= before + 3) return;
        // Only once, because a second interrupt does not wait for the current publication.
        clearInterval(watch);
        signals.emit("SIGINT");
      }, 1);
      try {
        return await text(["publish", ...argv], { signals });
      } finally {
        clearInterval(watch);
      }
    }

    async function published(): Promise<readonly string[]> {
      const { data } = await json(["list", "--source", "registry"]);
      return data.skills.map(({ id }: { id: string }) => id).filter((id: string) => id !== "first");
    }

    test("prints the skills published before the interrupt [S-41] [S-60]", async () => {
      const { code, out, err } = await interrupt("in");
      expect([code, err]).toEqual([130, expect.stringContaining("error: interrupted")]);
      const reported = [...out.matchAll(/^(\S+) revision 1: published/gm)].map(([, id]) => id);
      expect(reported.length).toBeGreaterThan(0);
      expect(reported.length).toBeLessThan(60);
      expect(reported.toSorted()).toEqual(await published());
    });

    test("includes the published skills in the JSON error [S-41] [S-60]", async () => {
      const { code, out } = await interrupt("in", "--json");
      const { ok, error } = JSON.parse(out);
      expect([code, ok, error.code]).toEqual([130, false, "INTERRUPTED"]);
      const reported = error.details.skills.map(({ id }: { id: string }) => id);
      expect(reported.length).toBeGreaterThan(0);
      expect(reported.toSorted()).toEqual(await published());
    });
  });

  test("rejects an invalid user name [S-60]", async () => {
    skill("pdf");
    for (const user of ["x".repeat(300), ""]) {
      const refused = { code: 2, error: { code: "USAGE", hint: expect.stringContaining("--user") } };
      expect(await json(["publish", "pdf", "--user", user])).toMatchObject(refused);
    }
  });

  test("publishes every valid skill of an archive [S-42] [S-60]", async () => {
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

  test("accepts a link to an archive and rejects a pipe [S-42] [S-60]", async () => {
    skill("a");
    await text(["pack", "a"]);
    symlinkSync("a.zip", join(root(), "latest.zip"));
    expect((await text(["publish", "latest.zip"])).out).toMatch(/^a revision 1: published/);
    execFileSync("mkfifo", [join(root(), "pipe")]);
    expect(await text(["publish", "pipe"])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^pipe: USAGE: pipe is neither a folder nor a regular file\.\n/),
    });
  });

  test("rejects an archive above the size limit and names the limit [S-60] [S-66]", async () => {
    write("x.zip", "");
    truncateSync(join(root(), "x.zip"), 21 * 1024 * 1024);
    const { code, err } = await text(["publish", "x.zip"]);
    expect(code).toBe(3);
    expect(err).toMatch(
      /^x\.zip: LIMIT_EXCEEDED: x\.zip has .*, more than the limit of .* \(archiveBytes\)\./,
    );
  });

  test("rejects invalid archives, missing paths, and --id for several skills [S-42] [S-60]", async () => {
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
      error: { code: "USAGE", message: expect.stringContaining("2 were found") },
    });
    write("empty/notes.txt", "nothing");
    expect(await text(["publish", "empty"])).toMatchObject({
      code: 3,
      err: expect.stringContaining("SKILL_FILE_MISSING"),
    });
  });

  test("--id sets the id, and an id of another user is rejected [S-5] [S-41]", async () => {
    skill("pdf");
    expect((await text(["publish", "pdf", "--id", "pdf-tools"])).out).toMatch(/^pdf-tools revision 1/);
    const other = await text(["publish", "pdf", "--id", "pdf-tools", "--user", "bob"]);
    expect(other).toMatchObject({ code: 6, out: "", err: expect.stringContaining("CONFLICT") });
    expect((await text(["publish", "pdf", "--id", "No Id"])).code).toBe(2);
  });

  test("skills published by an admin have the org trust tier [S-14]", async () => {
    skill("pdf");
    const { data } = await json(["publish", "pdf", "--role", "admin"]);
    expect(data.skills[0].trust).toBe("org");
  });

  test("lists omitted files once, and missing dependencies [S-38] [S-41]", async () => {
    skill("pdf");
    symlinkSync("/etc/passwd", join(root(), "pdf/link"));
    write("pdf/scripts/read.py", "import zzz_none\n");
    const { code, err } = await text(["publish", "pdf"]);
    expect(code).toBe(0);
    expect(err.match(/link/gi)).toHaveLength(2);
    expect(err).toContain("  omitted: link: Links are not packed.");
    expect(err).toContain("  warning: These dependencies are missing on this machine: pip:zzz_none.\n");
    const { data } = await json(["publish", "pdf", "--dry-run"]);
    expect(data.skills[0]).toMatchObject({ state: "active", missing: ["pip:zzz_none"] });
  });

  test("--dry-run prints the result without creating the store [S-41]", async () => {
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

  test("shows a progress line on a terminal and clears it [S-60]", async () => {
    for (let each = 0; each < 3; each += 1) skill(`in/s${each}`);
    const { err } = await text(["publish", "in"], { columns: 80, env: { NO_COLOR: "1" } });
    // Every progress line is cleared before other output.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequence clears a line.
    expect(err.replaceAll(/(?:\r\x1b\[2K[^\r\n]*)*\r\x1b\[2K/g, "")).toBe("3 skills: 3 published\n");
  });
});
