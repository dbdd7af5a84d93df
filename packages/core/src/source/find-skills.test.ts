import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import { afterEach, beforeEach, expect, test } from "vitest";
import { diskTree, type FileTree } from "../bundle/file-tree.ts";
import { type FoundSkills, findSkillFolders } from "./find-skills.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillhold-find-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), "x");
  }
}
const pathsOf = (found: FoundSkills) => found.skills.map((skill) => skill.path);
const problemsOf = (found: FoundSkills) => found.problems.map(({ path, reason }) => `${path} ${reason}`);

test("finds folders with SKILL.md in any case in path order, including nested ones [S-16]", async () => {
  write(
    "b/SKILL.md",
    "a/skill.md",
    "a/nested/deep/SKILL.md",
    ".claude/skills/c/SKILL.md",
    "d/Skill.md",
    "f/SKILL.MD",
    "g/Skill.md",
    "g/skill.md",
    "h/skills.md",
    "e/README.md",
  );
  const found = await findSkillFolders(root, defaultLimits);
  expect(pathsOf(found)).toEqual([".claude/skills/c", "a", "a/nested/deep", "b", "d", "f", "g"]);
  expect(found.skills.slice(4)).toMatchObject([
    { file: "Skill.md" },
    { file: "SKILL.MD" },
    { file: "skill.md", unread: ["Skill.md"] },
  ]);
  expect(found.skills[1]).toEqual({
    path: "a",
    absolute: join(root, "a"),
    file: "skill.md",
    hasTools: false,
  });
  expect(found.problems).toEqual([]);
});

test("reports a folder with only tools, unless it is part of a skill [S-9]", async () => {
  write("counter/tools/count.mjs", "empty/tools/notes.txt", "pdf/SKILL.md", "pdf/scripts/tools/a.py");
  const found = await findSkillFolders(root, defaultLimits);
  expect(pathsOf(found)).toEqual(["pdf"]);
  expect(problemsOf(found)).toEqual(["counter tools-only"]);
  expect(found.problems[0]?.message).toMatch(/^Tools only, not named/);
});

test("finds a root that is a skill, and prefers SKILL.md to skill.md [S-1]", async () => {
  write("SKILL.md", "skill.md", "inner/SKILL.md");
  const found = await findSkillFolders(root, defaultLimits);
  expect(found.skills[0]).toMatchObject({ path: ".", file: "SKILL.md", absolute: root });
  expect(pathsOf(found)).toEqual([".", "inner"]);
});

test("skips folders of tools and folders that start with an underscore [S-16]", async () => {
  write(
    ".git/a/SKILL.md",
    "node_modules/a/SKILL.md",
    "__pycache__/SKILL.md",
    "_shared/SKILL.md",
    "_drafts/a/SKILL.md",
    "a/SKILL.md",
  );
  expect(pathsOf(await findSkillFolders(root, defaultLimits))).toEqual(["a"]);
});

test("a link inside the source, even a circular one, finds nothing twice [S-16]", async () => {
  write("a/SKILL.md");
  write("_packages/b/SKILL.md");
  symlinkSync("../a", join(root, "a", "loop"));
  symlinkSync("a", join(root, "linked"));
  symlinkSync("_packages/b", join(root, "b"));
  symlinkSync("nowhere", join(root, "broken"));
  const found = await findSkillFolders(root, defaultLimits);
  expect(pathsOf(found)).toEqual(["a", "b"]);
  expect(problemsOf(found)).toEqual([]);
});

test("reports a link that leaves the source, and follows it only if the user allows it [S-16]", async () => {
  const outside = mkdtempSync(join(tmpdir(), "skillhold-outside-"));
  try {
    mkdirSync(join(outside, "c"));
    writeFileSync(join(outside, "c", "SKILL.md"), "");
    symlinkSync(outside, join(outside, "c", "loop"));
    symlinkSync(join(outside, "c"), join(root, "c"));
    const found = await findSkillFolders(root, defaultLimits);
    expect([pathsOf(found), problemsOf(found)]).toEqual([[], ["c link"]]);
    expect(pathsOf(await findSkillFolders(root, defaultLimits, { followLinks: true }))).toContain("c");
  } finally {
    rmSync(outside, { recursive: true, force: true });
  }
});

test("leaves out files that git ignores, on request [S-16]", async () => {
  write("a/SKILL.md");
  write("build/b/SKILL.md");
  write("deep/tmp/c/SKILL.md");
  writeFileSync(join(root, ".gitignore"), "/build\n");
  writeFileSync(join(root, "deep", ".gitignore"), "tmp/\n");
  expect(pathsOf(await findSkillFolders(root, defaultLimits))).toEqual(["a", "build/b", "deep/tmp/c"]);
  expect(pathsOf(await findSkillFolders(root, defaultLimits, { gitignore: true }))).toEqual(["a"]);
});

test("containers are the folders where a skill can appear or disappear [S-17]", async () => {
  write("a/SKILL.md");
  write("a/references/x.md");
  write("group/b/SKILL.md");
  write("group/b/inner/deep/c/SKILL.md");
  const { containers } = await findSkillFolders(root, defaultLimits);
  expect(containers.map(({ path }) => path).toSorted()).toEqual([
    ".",
    "group",
    "group/b",
    "group/b/inner",
    "group/b/inner/deep",
  ]);
});

test.skipIf(process.platform === "win32")(
  "finds anything called SKILL.md, so that it can be reported [S-16]",
  async () => {
    mkdirSync(join(root, "folder", "SKILL.md"), { recursive: true });
    mkdirSync(join(root, "pipe"));
    execFileSync("mkfifo", [join(root, "pipe", "SKILL.md")]);
    mkdirSync(join(root, "link"));
    symlinkSync("/etc/hostname", join(root, "link", "SKILL.md"));
    expect(pathsOf(await findSkillFolders(root, defaultLimits))).toEqual(["folder", "link", "pipe"]);
  },
);

test("a folder inside a skill is listed, and its stats are read only if a skill may be below it [S-16] [S-73]", async () => {
  write("a/SKILL.md", "a/references/x.md", "a/scripts/x.sh", "a/more/b/SKILL.md", "a/more/b/assets/x.png");
  const listed: string[] = [];
  const stated: string[] = [];
  const tree: FileTree = {
    ...diskTree,
    list: (folder) => {
      listed.push(relative(root, folder));
      return diskTree.list(folder);
    },
    diskStats: (path) => {
      stated.push(relative(root, path));
      return diskTree.diskStats(path);
    },
  };
  expect(pathsOf(await findSkillFolders(root, defaultLimits, { tree }))).toEqual(["a", "a/more/b"]);
  expect(stated).toEqual(["", "a", "a/more", "a/more/b"]);
  expect(new Set(listed)).toEqual(
    new Set(["", "a", "a/more", "a/references", "a/scripts", "a/more/b", "a/more/b/assets"]),
  );
});

test("both limits end the search and are reported [S-16]", async () => {
  write("a/b/c/SKILL.md", "a/b/c/d/SKILL.md", "a/SKILL.md", "z/y/x/w/SKILL.md");
  const shallow = await findSkillFolders(root, { ...defaultLimits, discoveryDepth: 3 });
  expect(pathsOf(shallow)).toEqual(["a", "a/b/c"]);
  expect(problemsOf(shallow)).toEqual(["a/b/c/d too-deep"]);
  expect(shallow.problems[0]?.message).toContain("2 folders");
  const few = await findSkillFolders(root, { ...defaultLimits, discoveryFolders: 3 });
  expect(few.folders).toBe(3);
  expect(pathsOf(few)).toEqual(["a"]);
  expect(problemsOf(few)).toEqual(["a/b too-many-folders"]);
});

test("a root that is missing or a file is a problem, not an exception [S-16]", async () => {
  write("file");
  expect(problemsOf(await findSkillFolders(join(root, "nothing"), defaultLimits))).toEqual([". missing"]);
  expect(problemsOf(await findSkillFolders(join(root, "file"), defaultLimits))).toEqual([". unreadable"]);
});

test.skipIf(process.platform !== "linux")("reports a folder whose name is not UTF-8 [S-16]", async () => {
  mkdirSync(Buffer.concat([Buffer.from(`${root}/bad-`), Buffer.from([0xff])]));
  expect(problemsOf(await findSkillFolders(root, defaultLimits))).toEqual(["bad-\ufffd bad-name"]);
});

test("an aborted search ends as interrupted, and progress is reported [S-16]", async () => {
  write(...Array.from({ length: 600 }, (_, at) => `s${at}/SKILL.md`));
  const seen: number[] = [];
  await findSkillFolders(root, defaultLimits, { onProgress: ({ skills }) => seen.push(skills) });
  expect(seen.at(-1)).toBe(600);
  expect(seen.length).toBeGreaterThan(2);
  const controller = new AbortController();
  const search = findSkillFolders(root, defaultLimits, {
    signal: controller.signal,
    onProgress: () => controller.abort(),
  });
  await expect(search).rejects.toThrow(SkillError);
  await expect(search).rejects.toMatchObject({ code: "INTERRUPTED" });
});

test.skipIf(process.platform !== "linux")(
  "finds skills without subfolders without listing them, and the others as before [S-16]",
  async () => {
    write(
      "a/SKILL.md",
      "b/SKILL.md",
      "b/tools/x.py",
      "c/SKILL.md",
      "c/inner/SKILL.md",
      "d/notes.md",
      "e/skill.md",
    );
    const listed = await findSkillFolders(root, defaultLimits);
    const openLeaf = (folder: string, path: string) =>
      existsSync(join(folder, "SKILL.md")) ? `opened ${path}` : undefined;
    const short = await findSkillFolders(root, defaultLimits, { openLeaf });
    expect(short.skills.flatMap(({ leaf }) => leaf ?? [])).toEqual(["opened a"]);
    expect({ ...short, skills: short.skills.map(({ leaf: _, ...skill }) => skill) }).toEqual(listed);
  },
);
