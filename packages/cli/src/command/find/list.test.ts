import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SkillEntry } from "@skillhold/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runJson, runMain, skillText, writeFile } from "../../fake-host.ts";
import { textWidth } from "../../terminal/table.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-list-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("list", () => {
  test("prints one line per skill, and counts with the command for details [S-19] [S-60]", async () => {
    writeFile(root, "a/pdf/SKILL.md", skillText("pdf", "Reads PDF.", "Do.\n", "version: 1.2.0\n"));
    writeFile(root, "a/none/SKILL.md", "no frontmatter\n");
    writeFile(root, "b/pdf/SKILL.md", skillText("pdf", "Another."));
    writeFile(root, "b/other/SKILL.md", skillText("other", "Elsewhere.", "Do.\n", "runtime: [elsewhere]\n"));
    expect(await runMain(["list", "a", "b"], root)).toEqual({
      code: 0,
      out:
        "ID   VERSION  SOURCE  TRUST  READINESS  DESCRIPTION\n" +
        "pdf  1.2.0    a       user   ready      Reads PDF.\n",
      err:
        "1 skill: run `skillhold show <id> --root a --root b` for details\n" +
        "1 invalid: run `skillhold list --invalid --root a --root b` to see why\n" +
        "1 shadowed: run `skillhold explain --root a --root b` to see by which\n" +
        "1 hidden: run `skillhold explain --root a --root b` to see why\n",
    });
  });

  test("returns visible, invalid, shadowed and hidden skills as JSON [S-16] [S-19] [S-60]", async () => {
    writeFile(root, "a/pdf/SKILL.md", skillText("pdf", "Reads PDF."));
    writeFile(root, "a/none/SKILL.md", "no frontmatter\n");
    writeFile(root, "b/pdf/SKILL.md", skillText("pdf", "Another."));
    writeFile(root, "b/mine/SKILL.md", skillText("mine", "x", "Do.\n", "disable-model-invocation: true\n"));
    const { code, err, data } = await runJson(["list", "a", "--root", "b"], root);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(data.skills.map((entry: unknown) => SkillEntry.parse(entry).id)).toEqual(["pdf"]);
    expect(data.invalid).toEqual([
      {
        id: "none",
        path: join(root, "a/none"),
        source: "a",
        diagnostics: [expect.objectContaining({ code: "NO_FRONTMATTER", line: 1, column: 1 })],
      },
    ]);
    expect(data.shadowed).toEqual([
      { id: "pdf", path: join(root, "b/pdf"), source: "b", by: { source: "a", path: join(root, "a/pdf") } },
    ]);
    expect(data.hidden).toEqual([{ id: "mine", source: "b", reason: "user-only" }]);
  });

  test("the first run offers the bundled skills at a terminal, and never in CI or a script [S-40] [S-60]", async () => {
    const env = { XDG_DATA_HOME: join(root, "state"), XDG_CACHE_HOME: join(root, "cache") };
    const question = "Add the skills that come with Skillhold";
    const inCi = await runMain(["list"], root, { env: { ...env, CI: "true" }, typed: "y\n" });
    expect(inCi).toMatchObject({ code: 0, tty: "", err: expect.stringContaining("No skills found.") });
    expect((await runJson(["list"], root, { env, typed: "y\n" })).data.skills).toEqual([]);
    const piped = await runMain(["list"], root, { env });
    expect(piped.err).toContain("No skills found.");
    const refused = await runMain(["list"], root, { env, typed: "\n" });
    expect(refused).toMatchObject({ code: 0, out: "", tty: expect.stringContaining(question) });
    const named = await runMain(["list", "--no-store"], root, { env, typed: "y\n" });
    expect(named.tty).toBe("");
    const accepted = await runMain(["list"], root, { env, typed: "y\n" });
    expect(accepted.tty).toContain(question);
    expect(accepted.out).toMatch(/^pdf .*registry/m);
    const again = await runMain(["list"], root, { env, typed: "y\n" });
    expect(again).toMatchObject({ tty: "", out: expect.stringMatching(/^xlsx .*registry/m) });
  });

  test("a store without skills changes no list, and its first toggle counts at once [S-16] [S-19]", async () => {
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "Reads PDF."));
    writeFile(root, ".claude/skills/pdf/SKILL.md", skillText("pdf", "Another."));
    writeFile(root, "skills/none/SKILL.md", "no frontmatter\n");
    const options = { env: { HOME: join(root, "home") } };
    const first = await runJson(["list"], root, options);
    expect(first.data).toMatchObject({ skills: [{ id: "pdf" }], invalid: [{}], shadowed: [{}], hidden: [] });
    expect(existsSync(join(root, "home/.local/share/skillhold/registry.db"))).toBe(true);
    expect((await runJson(["list"], root, options)).data).toEqual(first.data);
    expect((await runJson(["list", "skills"], root, options)).data.skills).toHaveLength(1);
    expect((await runMain(["disable", "pdf"], root, options)).code).toBe(0);
    for (const args of [["list"], ["list", "skills"]]) {
      const { data } = await runJson(args, root, options);
      expect(data).toMatchObject({ skills: [], hidden: [{ id: "pdf", reason: "disabled" }] });
    }
  });

  test("names the store that it looked in, also when the store has no skills [S-19] [S-60]", async () => {
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "Reads PDF."));
    const options = { env: { HOME: join(root, "home") } };
    await runMain(["list"], root, options);
    rmSync(join(root, "skills/pdf"), { recursive: true });
    const { err } = await runMain(["list"], root, options);
    expect(err).toContain("Looked in skills (skills).\nLooked in the store (sqlite:home/");
  });

  test("--invalid prints position, message and fix [S-4] [S-19]", async () => {
    writeFile(root, "skills/none/SKILL.md", "---\nname: none\n---\n");
    const { code, out, err } = await runMain(["list", "--invalid"], root);
    expect({ code, err }).toEqual({ code: 0, err: "1 invalid skill\n" });
    expect(out).toMatch(
      /^skills\/none \(skills\)\n {2}SKILL\.md:1:1 DESC_MISSING The .*\n {4}fix: Add .*\n$/,
    );
  });

  test("--strict rejects skills that break the specification, with or without a cache [S-4] [S-19]", async () => {
    writeFile(root, "skills/good/SKILL.md", skillText("good", "x"));
    writeFile(root, "skills/odd/SKILL.md", skillText("Another Name", "x"));
    const env = { HOME: join(root, "home") };
    const ids = async (...options: readonly string[]) => {
      const { data } = await runJson(["list", ...options], root, { env });
      return [data.skills, data.invalid].map((list) => list.map(({ id }: SkillEntry) => id));
    };
    expect(await ids()).toEqual([["good", "odd"], []]);
    expect(await ids("--strict")).toEqual([["good"], ["odd"]]);
    expect(await ids()).toEqual([["good", "odd"], []]);
    const { out } = await runMain(["list", "--strict", "--invalid"], root, { env });
    expect(out).toMatch(/^skills\/odd \(skills\)\n {2}SKILL\.md:2:\d+ NAME_/);
    const { err } = await runMain(["list", "--strict"], root, { env });
    expect(err).toContain("--strict");
  });

  test("--tag filters by tag, ignoring case [S-60]", async () => {
    writeFile(root, "skills/a/SKILL.md", skillText("a", "x", "Do.\n", "tags: [Office, pdf]\n"));
    writeFile(root, "skills/b/SKILL.md", skillText("b", "x"));
    const { data } = await runJson(["list", "--tag", "office"], root);
    expect(data.skills.map(({ id }: SkillEntry) => id)).toEqual(["a"]);
    expect(await runMain(["list", "--tag", "none"], root)).toEqual({
      code: 0,
      out: "",
      err: "No skill has the tag none.\n",
    });
  });

  test.runIf(process.platform === "linux")(
    "--deps lists missing dependencies and hides no skill [S-38] [S-60]",
    async () => {
      addNeedy(root);
      const options = { env: { PATH: process.env["PATH"] } };
      const { code, data } = await runJson(["list", "in", "--deps"], root, options);
      expect(code).toBe(0);
      expect(data.skills.map(({ id, dependencies }: Marked) => [id, dependencies])).toEqual([
        ["plain", { state: "ok", missing: [] }],
        ["reader", { state: "missing", missing: ["npm:zzz-writer", "pip:zzz_reader"] }],
      ]);
      const { out, err } = await runMain(["list", "in", "--deps"], root, options);
      expect(out).toMatch(/^ID .* READINESS +DEPENDENCIES +DESCRIPTION\n/);
      expect(out).toMatch(/\nplain .* ready +ok +Plain\.\n/);
      expect(out).toMatch(/\nreader .* ready +missing +Reads\.\n/);
      expect(err).toBe(
        "reader: missing: npm:zzz-writer, pip:zzz_reader\n" +
          "2 skills: run `skillhold show <id> --root in` for details\n" +
          "1 with missing dependencies: run `skillhold deps check --root in` for details\n",
      );
      const narrow = await runMain(["list", "in", "--deps"], root, { columns: 40, ...options });
      expect(narrow.err).toContain("reader: missing: npm:zzz-writer, pip:zzz_reader\n");
    },
  );

  test("without --deps the list has no dependency state [S-38]", async () => {
    addNeedy(root);
    const { data } = await runJson(["list", "in"], root);
    expect(data.skills.map((skill: object) => "dependencies" in skill)).toEqual([false, false]);
    const { out, err } = await runMain(["list", "in"], root);
    expect(out + err).not.toMatch(/dependencies|missing/i);
  });

  test("--deps prints no warning for an unknown state [S-38]", async () => {
    for (let file = 0; file < 2100; file += 1) writeFile(root, `in/large/${file}.txt`, "");
    writeFile(root, "in/large/SKILL.md", skillText("large", "Too large."));
    const { data } = await runJson(["list", "in", "--deps"], root);
    expect(data.skills).toMatchObject([{ id: "large", dependencies: { state: "unknown", missing: [] } }]);
    const { out, err } = await runMain(["list", "in", "--deps"], root);
    expect(out).toMatch(/\nlarge .* unknown +Too large\.\n/);
    expect(out + err).not.toContain("missing");
  });

  test("an empty list exits 0 and explains where it looked and how to add a skill [S-60]", async () => {
    const nothing = await runMain(["list"], root);
    expect(nothing).toMatchObject({ code: 0, out: "", err: expect.stringContaining("No skills found.\n") });
    expect(nothing.err).toContain(".agents/skills/<name>/SKILL.md");
    writeFile(root, ".claude/skills/README.md", "none yet");
    expect((await runMain(["list"], root)).err).toContain("Looked in .claude/skills (.claude/skills).\n");
  });

  test("explains --follow-links when only links were found [S-16] [S-19]", async () => {
    writeFile(root, "real/foo/SKILL.md", skillText("foo", "x"));
    mkdirSync(join(root, "work/.claude/skills"), { recursive: true });
    symlinkSync("../../../real/foo", join(root, "work/.claude/skills/foo"));
    expect(await runMain(["list", "-C", "work"], root)).toEqual({
      code: 0,
      out: "",
      err:
        "No skills found: links to folders outside the source are not followed.\n" +
        "Looked in .claude/skills (.claude/skills).\n" +
        "1 folder was not searched: run `skillhold doctor` to see which\n" +
        "1 link leaves the source: add `--follow-links` to follow it\n",
    });
    expect((await runJson(["list", "-C", "work"], root)).data.problems).toEqual([
      {
        source: ".claude/skills",
        path: join(root, "work/.claude/skills/foo"),
        reason: "link",
        message: expect.stringContaining("not followed"),
      },
    ]);
    const followed = await runJson(["list", "-C", "work", "--follow-links"], root);
    expect([followed.data.skills.length, followed.data.problems]).toEqual([1, []]);
  });

  test("counts the folders that were not searched, also from the cache [S-17] [S-19]", async () => {
    writeFile(root, "in/a/SKILL.md", skillText("a", "x"));
    writeFile(root, `in/${"d/".repeat(17)}SKILL.md`, skillText("d", "x"));
    symlinkSync("/", join(root, "in/link"));
    const options = { env: { XDG_CACHE_HOME: join(root, "cache") } };
    for (const _ of ["cold", "warm"]) {
      const { err } = await runMain(["list", "in"], root, options);
      expect(err).toBe(
        "1 skill: run `skillhold show <id> --root in` for details\n" +
          "at least 2 folders were not searched: run `skillhold doctor --root in` to see which\n" +
          "1 link leaves the source: add `--follow-links` to follow it\n",
      );
      const { data } = await runJson(["list", "in"], root, options);
      const reasons = data.problems.map(({ reason }: { reason: string }) => reason);
      expect(reasons).toEqual(["too-deep", "link"]);
    }
    expect((await runMain(["list", "in", "--invalid"], root)).err).toContain("at least 2 folders were");
  });

  test("fits the terminal, also with wide characters [S-60]", async () => {
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "当用户需要分析行动者网络的结构 ".repeat(9)));
    const { out } = await runMain(["list"], root, { columns: 60, env: { NO_COLOR: "1" } });
    const lines = out.trimEnd().split("\n");
    expect(Math.max(...lines.map(textWidth))).toBeLessThan(60);
    expect(lines[1]).toMatch(/^pdf .*…$/);
  });

  test("escapes control characters of skills in text and JSON [S-60]", async () => {
    const text = skillText(
      "pdf",
      '"Reads \\u001b[2J\\u009b2J\\u202e PDF."',
      "Do.\n",
      'version: "\\e[31m1"\n',
    );
    writeFile(root, "skills/pdf/SKILL.md", text);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for control characters.
    const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;
    expect((await runMain(["list"], root)).out).not.toMatch(control);
    const { out } = await runMain(["list", "--json"], root);
    expect(out).not.toMatch(control);
    expect(JSON.parse(out).data.skills[0].description).toBe("Reads \u001b[2J\u009b2J\u202e PDF.");
  });
});

interface Marked {
  readonly id: string;
  readonly dependencies: unknown;
}

/** A skill without dependencies, and one with a dependency that does not exist. */
function addNeedy(folder: string): void {
  writeFile(folder, "in/plain/SKILL.md", skillText("plain", "Plain."));
  writeFile(folder, "in/reader/SKILL.md", skillText("reader", "Reads."));
  writeFile(folder, "in/reader/a.py", "import zzz_reader\n");
  writeFile(folder, "in/reader/b.mjs", 'import "zzz-writer";\n');
}

test("the hint for hidden skills explains them for the same viewer [S-60]", async () => {
  writeFile(root, "skills/a/SKILL.md", skillText("a", "One."));
  writeFile(root, "skills/b/SKILL.md", skillText("b", "Two.", "Do.\n", "runtime: [elsewhere]\n"));
  const { err } = await runMain(["list", "skills", "--runtime", "codex"], root);
  expect(err).toContain("1 hidden: run `skillhold explain --root skills --runtime codex` to see why");
});
