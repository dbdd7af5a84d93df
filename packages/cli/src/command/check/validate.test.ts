import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { profiles } from "@skillhold/skill";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeUnlistable, removeTree, runJson, runMain, writeFile } from "../../fake-host.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-validate-"));
});
afterEach(() => removeTree(root));

describe("validate", () => {
  test("prints one row per skill folder of a tree, including unreadable ones [S-4] [S-60]", async () => {
    write("skills/good/SKILL.md", "---\nname: good\ndescription: Does good.\n---\nbody\n");
    write("skills/good/nested/inner/SKILL.md", "---\nname: inner\ndescription: x\n---\nbody\n");
    write("skills/Odd Name/SKILL.md", "---\nname: odd\ndescription: Use when: asked\n---\nbody\n");
    write("skills/none/SKILL.md", "no frontmatter\n");
    mkdirSync(join(root, "skills/folder/SKILL.md"), { recursive: true });
    write("skills/_shared/SKILL.md", "never a skill");
    const { code, out, err } = await skillhold("validate", "skills", "--json");
    expect({ code, err }).toEqual({ code: 3, err: "" });
    const { ok, data } = JSON.parse(out);
    expect(ok).toBe(true);
    expect(data.skills).toEqual([
      expect.objectContaining({
        path: "skills/Odd Name",
        id: "odd-name",
        name: "odd",
        valid: false,
        repaired: true,
      }),
      expect.objectContaining({
        path: "skills/folder",
        id: "folder",
        name: null,
        valid: false,
        repaired: false,
      }),
      {
        path: "skills/good",
        id: "good",
        name: "good",
        valid: true,
        repaired: false,
        fixed: false,
        diagnostics: [],
      },
      expect.objectContaining({ path: "skills/good/nested/inner", valid: true }),
      expect.objectContaining({ path: "skills/none", name: null, valid: false }),
    ]);
    expect(data.skills[4].diagnostics).toEqual([
      {
        code: "NO_FRONTMATTER",
        severity: "error",
        line: 1,
        column: 1,
        message: expect.any(String),
        fix: expect.any(String),
      },
    ]);
    expect(data.summary).toEqual({ skills: 5, valid: 2, invalid: 3, repaired: 1, profile: "strict" });
  });

  test("accepts a SKILL.md, a folder, or no argument for the working folder [S-60]", async () => {
    write("good/SKILL.md", "---\nname: good\ndescription: x\n---\nbody\n");
    expect(await skillhold("validate", "good/SKILL.md", "good")).toEqual({
      code: 0,
      out: "valid good\n",
      err: "1 skill: 1 valid, 0 invalid\n",
    });
    expect(await skillhold("validate", "-C", "good")).toMatchObject({ code: 0, out: "valid .\n" });
  });

  test("prints each finding with its position and fix [S-4] [S-60]", async () => {
    write("bad/SKILL.md", "---\nname: Bad\n---\nbody\n");
    const { code, out } = await skillhold("validate", "bad");
    expect(code).toBe(3);
    expect(out).toContain(
      'SKILL.md:2:1 error The name "Bad" must be lowercase. NAME_UPPERCASE\n    fix: Use lowercase letters.',
    );
    expect(out).toContain("DESC_MISSING");
  });

  test("a missing path is an error [S-60]", async () => {
    expect(await skillhold("validate", "nowhere")).toMatchObject({ code: 5, out: "" });
    const { out } = await skillhold("validate", "nowhere", "--json");
    expect(JSON.parse(out)).toMatchObject({ ok: false, error: { code: "PATH_NOT_FOUND" } });
  });

  test("an unreadable path has another error than a missing one [S-60]", async () => {
    mkdirSync(join(root, "demo"));
    symlinkSync("SKILL.md", join(root, "demo/SKILL.md"));
    for (const argv of [["validate"], ["properties"], ["prompt"], ["list"], ["validate", "-C"]]) {
      const { code, error } = await runJson([...argv, "demo/SKILL.md"], root);
      expect([argv, code, error.code, error.message]).toEqual([
        argv,
        1,
        "IO_FAILED",
        "demo/SKILL.md cannot be read (ELOOP).",
      ]);
    }
  });

  test.each(["strict", "publish"])(
    "an unreadable folder gets a row under %s [S-19] [S-60]",
    async (profile) => {
      write("skills/good/SKILL.md", "---\nname: good\ndescription: x\nversion: 1.0.0\n---\nbody\n");
      const path = makeUnlistable(join(root, "skills"));
      const { code, data } = await runJson(["validate", "skills", "--profile", profile], root);
      expect(code).toBe(3);
      expect(data.skills).toEqual([
        expect.objectContaining({ path: "skills/good" }),
        {
          path: `skills/${path}`,
          id: expect.stringMatching(/^u+$/),
          name: null,
          valid: false,
          repaired: false,
          fixed: false,
          diagnostics: [expect.objectContaining({ code: "SKILL_FILE_UNREADABLE", severity: "error" })],
        },
      ]);
      expect(data.problems).toEqual([expect.stringContaining("cannot be listed (ENAMETOOLONG)")]);
    },
  );

  test("a folder without a skill gets an invalid row [S-1] [S-60]", async () => {
    mkdirSync(join(root, "empty"));
    const { code, out } = await skillhold("validate", "empty", "--json");
    expect(code).toBe(3);
    expect(JSON.parse(out).data.skills[0].diagnostics[0].code).toBe("SKILL_FILE_MISSING");
  });

  test("--fix writes the repairs, keeps the rest and the mode, and leaves no temporary file [S-3] [S-60]", async () => {
    const text = "---\n# note\nname: demo\ndescription: Use when: asked\n---\nbody: a: b\n";
    const file = write("demo/SKILL.md", text);
    chmodSync(file, 0o640);
    const { code, out } = await skillhold("validate", "demo", "--fix");
    expect({ code, out }).toEqual({ code: 0, out: "valid demo (fixed)\n" });
    expect(readFileSync(file, "utf8")).toBe(text.replace("Use when: asked", "'Use when: asked'"));
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(root, "demo"))).toEqual(["SKILL.md"]);
  });

  test("--fix refuses a repair that would turn instructions into frontmatter, and shows the line [S-3]", async () => {
    const text =
      "---\nname: late\ndescription: Has a late fence.\ntags: [a, b]\n\n# Steps\n\n- Do the first: thing.\n\n" +
      "Then: this, and: that.\nThe text goes on here.\n\n---\n\nThe rest.\n";
    write("late/SKILL.md", text);
    const { code, data } = await runJson(["validate", "late", "--fix"], root);
    expect(code).toBe(3);
    expect(data.skills).toMatchObject([{ valid: false, fixed: false }]);
    expect(data.skills[0].diagnostics).toContainEqual(
      expect.objectContaining({ code: "FIX_REFUSED", severity: "error", line: 6 }),
    );
    expect(readFileSync(join(root, "late/SKILL.md"), "utf8")).toBe(text);
  });

  test("--fix reports a file that it cannot write and fixes the others [S-3] [S-60]", async () => {
    const text = (name: string) => `---\nname: ${name}\ndescription: Use when: asked\n---\nbody\n`;
    const blocked = write("skills/a/SKILL.md", text("a"));
    const fixed = write("skills/b/SKILL.md", text("b"));
    const inTheWay = write(`skills/a/.SKILL.md.${process.pid}.tmp`, "of someone else");
    const { code, data } = await runJson(["validate", "skills", "--fix"], root);
    expect(code).toBe(3);
    expect(data.skills).toMatchObject([
      { path: "skills/a", valid: false, repaired: true, fixed: false },
      { path: "skills/b", valid: true, repaired: false, fixed: true },
    ]);
    expect(data.skills[0].diagnostics).toContainEqual({
      code: "FIX_FAILED",
      severity: "error",
      line: 1,
      column: 1,
      message: `The repairs could not be written: ${inTheWay} already exists (EEXIST).`,
      fix: expect.stringContaining("run --fix again"),
    });
    expect(readFileSync(blocked, "utf8")).toBe(text("a"));
    expect(readFileSync(fixed, "utf8")).toContain("'Use when: asked'");
    expect(readFileSync(inTheWay, "utf8")).toBe("of someone else");
    const lenient = await runJson(["validate", "skills/a", "--fix", "--profile", "lenient"], root);
    expect([lenient.code, lenient.data.skills[0].valid]).toEqual([3, false]);
  });

  test.runIf(process.getuid?.() === 0)("--fix by root keeps the owner of a file [S-3]", async () => {
    const file = write("demo/SKILL.md", "---\nname: demo\ndescription: Use when: asked\n---\nbody\n");
    chownSync(file, 12_345, 23_456);
    expect((await skillhold("validate", "demo", "--fix")).code).toBe(0);
    expect(statSync(file)).toMatchObject({ uid: 12_345, gid: 23_456 });
  });

  test("--fix does not change valid files or files that it cannot repair [S-3]", async () => {
    const good = write("good/SKILL.md", "---\nname: good\ndescription:   spaced\n---\n");
    const bad = write("bad/SKILL.md", Buffer.from("---\nname: bad\ndescription: a: \xff\n---\n", "latin1"));
    const before = [good, bad].map((file) => readFileSync(file));
    await skillhold("validate", ".", "--fix");
    expect([good, bad].map((file) => readFileSync(file))).toEqual(before);
  });

  test("the other profiles also check the other files [S-4] [S-10] [S-11]", async () => {
    write("demo/SKILL.md", "---\nname: demo\ndescription: x\nversion: 1.0.0\n---\nbody\n");
    write("demo/references/long.md", "line\n".repeat(301));
    write("demo/links.yaml", "- ftp://nowhere\n");
    const { out } = await skillhold("validate", "demo", "--json", "--profile", "authoring");
    const found = JSON.parse(out).data.skills[0].diagnostics.map(
      ({ code, file }: { code: string; file?: string }) => [code, file],
    );
    expect(found).toEqual(
      expect.arrayContaining([
        ["TOO_MANY_LINES_FOR_AUTHORING", "references/long.md"],
        ["LINKS_MALFORMED", "links.yaml"],
      ]),
    );
  });

  test("every profile reports a malformed links.yaml [S-4]", async () => {
    write("demo/SKILL.md", "---\nname: demo\ndescription: x\nversion: 1.0.0\n---\nbody\n");
    write("demo/links.yaml", "- ftp://nowhere\n");
    for (const profile of profiles)
      expect((await skillhold("validate", "demo", "--profile", profile)).out).toContain("LINKS_MALFORMED");
  });

  test("a folder with only tools loads with a warning and is invalid under strict [S-9]", async () => {
    write("calc/tools/add.py", "");
    expect((await skillhold("validate", "calc", "--profile", "lenient")).out).toContain(
      "warning The folder has tools",
    );
    expect((await skillhold("validate", "calc")).code).toBe(3);
  });
});

describe("bad input", () => {
  test.each<[string, string, (file: string) => void]>([
    [
      "a 100 MB file",
      "SKILL_FILE_TOO_LARGE",
      (file) => writeFileSync(file, Buffer.alloc(100 * 1024 * 1024, "---\n")),
    ],
    ["a FIFO", "SKILL_FILE_NOT_FILE", (file) => execFileSync("mkfifo", [file])],
    ["a folder", "SKILL_FILE_NOT_FILE", (file) => mkdirSync(file)],
    ["a link", "SKILL_FILE_LINK", (file) => execFileSync("ln", ["-s", "/etc/passwd", file])],
    ["a link to nothing", "SKILL_FILE_LINK", (file) => execFileSync("ln", ["-s", "nowhere", file])],
    ["an empty file", "NO_FRONTMATTER", (file) => writeFileSync(file, "")],
    ["NUL bytes", "NO_FRONTMATTER", (file) => writeFileSync(file, Buffer.alloc(4096))],
    [
      "invalid UTF-8",
      "NOT_UTF8",
      (file) => writeFileSync(file, Buffer.from("---\nname: \xff\n---\n", "latin1")),
    ],
    [
      "an alias bomb",
      "ALIAS_BOMB",
      (file) =>
        writeFileSync(
          file,
          `---\na: &a [x,x]\nb: &b [*a,*a]\n${Array.from({ length: 40 }, (_, i) => `k${i}: &k${i} [*${i === 0 ? "b" : `k${i - 1}`},*${i === 0 ? "b" : `k${i - 1}`}]`).join("\n")}\n---\n`,
        ),
    ],
    [
      "10,000 levels",
      "FRONTMATTER_TOO_COMPLEX",
      (file) => writeFileSync(file, `---\na: ${"{a: ".repeat(10_000)}\n---\n`),
    ],
  ])("%s named SKILL.md is one diagnostic, not a crash [S-2] [S-66]", async (_, code, make) => {
    mkdirSync(join(root, "demo"));
    make(join(root, "demo", "SKILL.md"));
    const before = process.memoryUsage().rss;
    const { code: exit, out } = await skillhold("validate", "demo", "--json");
    expect(exit).toBe(3);
    const [row] = JSON.parse(out).data.skills;
    expect(row.diagnostics.map((found: { code: string }) => found.code)).toContain(code);
    expect(process.memoryUsage().rss - before).toBeLessThan(512 * 1024 * 1024);
  });
});

describe("properties and prompt", () => {
  test("properties are the specification's fields as JSON [S-60]", async () => {
    write("demo/SKILL.md", "---\nname: demo\ndescription: x\nmetadata: {version: 1.0}\n---\n");
    const { code, out } = await skillhold("properties", "demo");
    expect([code, JSON.parse(out)]).toEqual([
      0,
      { name: "demo", description: "x", metadata: { version: "1.0" } },
    ]);
    expect(JSON.parse((await skillhold("properties", "demo/SKILL.md", "--json")).out).data.name).toBe("demo");
  });

  test.each([
    ["nowhere", 5, "PATH_NOT_FOUND"],
    ["empty", 5, "SKILL_NOT_FOUND"],
    ["broken", 3, "SKILL_INVALID"],
  ])("properties of %s exits with %i [S-60]", async (path, exit, code) => {
    mkdirSync(join(root, "empty"));
    write("broken/SKILL.md", "---\nname: broken\n---\n");
    const { code: status, out } = await skillhold("properties", path, "--json");
    expect([status, JSON.parse(out).error.code]).toEqual([exit, code]);
  });

  test("prompt is the reference's block [S-21] [S-60]", async () => {
    const file = write("demo/SKILL.md", "---\nname: demo\ndescription: a < b\n---\n");
    expect(await skillhold("prompt")).toMatchObject({
      code: 0,
      out: "<available_skills>\n</available_skills>\n",
    });
    expect((await skillhold("prompt", "demo")).out).toBe(
      `<available_skills>\n<skill>\n<name>\ndemo\n</name>\n<description>\na &lt; b\n</description>\n<location>\n${file}\n</location>\n</skill>\n</available_skills>\n`,
    );
  });
});

function write(path: string, content: string | Buffer): string {
  return writeFile(root, path, content);
}

function skillhold(...argv: readonly string[]) {
  return runMain(argv, root);
}
