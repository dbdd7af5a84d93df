import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { defaultLimits, withLimits } from "@skillhold/protocol/limits";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findSkillFolders } from "../source/find-skills.ts";
import type { Bundle } from "./bundle.ts";
import { pack } from "./pack.ts";
import { treeHash } from "./tree-hash.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillhold-pack-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
const pathsOf = (bundle: Bundle) => bundle.files.map((file) => file.path);
const omittedOf = (bundle: Bundle) => bundle.omitted.map(({ path, reason }) => `${path} ${reason}`);

test("a bundle lists files in byte order with size, role, mode and origin [S-13]", async () => {
  write({ "SKILL.md": "abc", "scripts/run.sh": "#!", "a-b": "", "a/b": "1", ｆ: "", 𐀀: "", Z: "" });
  chmodSync(join(root, "scripts/run.sh"), 0o755);
  const bundle = await pack(root);
  expect(pathsOf(bundle)).toEqual(["SKILL.md", "Z", "a-b", "a/b", "scripts/run.sh", "ｆ", "𐀀"]);
  expect(bundle).toMatchObject({ root, bytes: 6, omitted: [], strayReferences: [], allowHardLinks: false });
  expect(bundle.files[4]).toEqual({
    path: "scripts/run.sh",
    size: 2,
    executable: process.platform !== "win32",
    role: "script",
    base: root,
    origin: join(root, "scripts/run.sh"),
    stamp: expect.any(String),
  });
});

test("lists files of systems and tools as junk, once per folder [S-13]", async () => {
  write({
    "SKILL.md": "",
    ".DS_Store": "",
    "a/Thumbs.db": "",
    "a/._x": "",
    "desktop.ini": "",
    "__MACOSX/x": "",
    ".git/config": "",
  });
  write({
    ".hg/x": "",
    ".svn/x": "",
    "node_modules/a/b.js": "",
    "scripts/__pycache__/a.pyc": "",
    ".clawhub/origin.json": "",
    "a/k": "",
  });
  const bundle = await pack(root);
  expect(pathsOf(bundle)).toEqual(["SKILL.md", "a/k"]);
  expect(new Set(bundle.omitted.map(({ reason }) => reason))).toEqual(new Set(["junk"]));
  expect(bundle.omitted.map(({ path }) => path)).toContain("node_modules");
  expect(bundle.omitted).toHaveLength(11);
});

test("applies each ignore file at the root, later ones first, and keeps SKILL.md [S-13]", async () => {
  write({ ".gitignore": "*.log\ndist/\n", ".skillignore": "drafts\n", ".clawdhubignore": "old.md\n" });
  write({
    ".clawhubignore": "# note\r\n!keep.log\r\nSKILL.md\r\n*.MD2\r\n",
    "SKILL.md": "",
    "a.log": "",
    "keep.log": "",
  });
  write({ "dist/x.js": "", "drafts/x": "", "old.md": "", "x.md2": "", "sub/.gitignore": "y\n", "sub/y": "" });
  const bundle = await pack(root, { purpose: "publish" });
  expect(pathsOf(bundle)).toEqual([
    ".clawdhubignore",
    ".clawhubignore",
    ".gitignore",
    ".skillignore",
    "SKILL.md",
    "keep.log",
    "sub/.gitignore",
    "sub/y",
    "x.md2",
  ]);
  expect(omittedOf(bundle)).toEqual(["a.log ignored", "dist ignored", "drafts ignored", "old.md ignored"]);
});

test("publishing rules do not affect local use, and local rules affect both [S-13]", async () => {
  write({ "SKILL.md": "", ".gitignore": "build\n", ".clawhubignore": "drafts\nscripts/hidden.py\n" });
  write({ "build/x": "", "drafts/x.md": "", "scripts/hidden.py": "", "scripts/shown.py": "" });
  const local = await pack(root);
  expect(omittedOf(local)).toEqual(["build ignored"]);
  expect(pathsOf(local)).toEqual(expect.arrayContaining(["drafts/x.md", "scripts/hidden.py"]));
  const released = await pack(root, { purpose: "publish" });
  expect(omittedOf(released)).toEqual(["build ignored", "drafts ignored", "scripts/hidden.py ignored"]);
});

test("an unusable ignore file stops packing [S-13]", async () => {
  write({ "SKILL.md": "", other: "secret.txt\n", "secret.txt": "" });
  symlinkSync("other", join(root, ".gitignore"));
  await expect(pack(root)).rejects.toMatchObject({ code: "SKILL_INVALID" });
  rmSync(join(root, ".gitignore"));
  for (const rules of [
    "**/".repeat(4),
    "*a".repeat(7),
    "x".repeat(257),
    "a\n".repeat(501),
    "a".repeat(70_000),
  ]) {
    write({ ".clawhubignore": rules });
    await expect(pack(root, { purpose: "publish" })).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  }
});

test.skipIf(process.platform === "win32")("rejects and lists links and special files [S-13]", async () => {
  write({ "SKILL.md": "", "a/x": "", one: "" });
  symlinkSync("SKILL.md", join(root, "in"));
  symlinkSync("/etc", join(root, "out"));
  symlinkSync("nowhere", join(root, "broken"));
  linkSync(join(root, "one"), join(root, "two"));
  execFileSync("mkfifo", [join(root, "a", "pipe")]);
  const bundle = await pack(root);
  expect(pathsOf(bundle)).toEqual(["SKILL.md", "a/x"]);
  const expected = ["a/pipe special", "broken link", "in link", "one hard-link", "out link", "two hard-link"];
  expect(omittedOf(bundle)).toEqual(expected);
  expect(pathsOf(await pack(root, { allowHardLinks: true }))).toEqual(["SKILL.md", "a/x", "one", "two"]);
});

test.skipIf(process.platform !== "linux")(
  "rejects and lists names that are not portable [S-13]",
  async () => {
    write({
      "SKILL.md": "",
      "con.txt": "",
      "a\\b": "",
      "a\nb": "",
      "end.": "",
      "end ": "",
      "q?": "",
      "~x": "",
      "z\u200b": "",
      "nul/x": "",
    });
    writeFileSync(Buffer.concat([Buffer.from(`${root}/bytes-`), Buffer.from([0xc3, 0x28])]), "");
    const bundle = await pack(root);
    expect(pathsOf(bundle)).toEqual(["SKILL.md"]);
    expect(bundle.omitted).toHaveLength(10);
    expect(new Set(bundle.omitted.map(({ reason }) => reason))).toEqual(new Set(["bad-name"]));
  },
);

test.skipIf(process.platform !== "linux")(
  "keeps the first of names that a disk treats as equal [S-13] [S-1]",
  async () => {
    write({
      "SKILL.md": "upper",
      "skill.md": "lower",
      "A/x": "",
      "a/y": "",
      "\u00e9": "",
      "e\u0301": "",
      straße: "",
      STRASSE: "",
    });
    const bundle = await pack(root);
    expect(pathsOf(bundle)).toEqual(["A/x", "SKILL.md", "STRASSE", "e\u0301"]);
    expect(omittedOf(bundle)).toEqual([
      "a collision",
      "skill.md collision",
      "straße collision",
      "\u00e9 collision",
    ]);
  },
);

test("each limit stops packing and is named [S-66] [S-13]", async () => {
  write({
    "SKILL.md": "x".repeat(600_000),
    b: "x".repeat(600_000),
    "d/e/f/g": "",
    [`${"n".repeat(70)}`]: "",
  });
  for (const limit of ["bundleFiles", "unpackedBytes", "pathDepth", "pathBytes"] as const) {
    const limits = withLimits({
      [limit]: { bundleFiles: 3, unpackedBytes: 1_048_576, pathDepth: 3, pathBytes: 64 }[limit],
    });
    const packing = pack(root, { limits });
    await expect(packing).rejects.toMatchObject({ code: "LIMIT_EXCEEDED", details: { limit } });
    await expect(packing).rejects.toThrow(limit);
  }
  expect(pathsOf(await pack(root, { limits: defaultLimits }))).toHaveLength(4);
});

test("a folder with very many ignored files ends the walk, too [S-66]", async () => {
  write(Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`${at}.log`, ""])));
  write({ "SKILL.md": "", ".gitignore": "*.log" });
  const packing = pack(root, { limits: withLimits({ bundleFiles: 3 }) });
  await expect(packing).rejects.toMatchObject({ code: "LIMIT_EXCEEDED", details: { limit: "bundleFiles" } });
});

test("leaves out a nested skill and its files [S-13]", async () => {
  write({ "SKILL.md": "", "a.md": "", "inner/SKILL.md": "", "inner/b.md": "", "inner/deep/c.md": "" });
  write({
    "x/lower/skill.md": "",
    "x/d.md": "",
    ".hidden/SKILL.md": "",
    "mixed/Skill.md": "",
    "x/SKILL.md.txt": "",
  });
  mkdirSync(join(root, "odd/SKILL.md"), { recursive: true });
  const bundle = await pack(root);
  expect(pathsOf(bundle)).toEqual(["SKILL.md", "a.md", "x/SKILL.md.txt", "x/d.md"]);
  expect(omittedOf(bundle)).toEqual([
    ".hidden nested-skill",
    "inner nested-skill",
    "mixed nested-skill",
    "odd nested-skill",
    "x/lower nested-skill",
  ]);
  expect(bundle.omitted[1]?.message).toBe("The folder is a skill of its own.");
});

test("an ignore file that names the SKILL.md of a nested skill does not add its other files [S-13]", async () => {
  write({ "SKILL.md": "", ".skillignore": "inner/SKILL.md\n", "inner/SKILL.md": "", "inner/b.md": "" });
  expect(pathsOf(await pack(root))).toEqual([".skillignore", "SKILL.md"]);
});

test("a `_` folder, which is never a skill, stays in the bundle with its content [S-13]", async () => {
  write({ "SKILL.md": "", "_draft/SKILL.md": "", "_draft/x/SKILL.md": "", "a/_b/skill.md": "" });
  expect(await pack(root)).toMatchObject({ omitted: [] });
  expect(pathsOf(await pack(root))).toEqual([
    "SKILL.md",
    "_draft/SKILL.md",
    "_draft/x/SKILL.md",
    "a/_b/skill.md",
  ]);
});

test("the tree hash covers a skill's own files and not those of a nested skill [S-13]", async () => {
  write({ "SKILL.md": "outer", "inner/SKILL.md": "1" });
  const before = await treeHash(await pack(root));
  write({ "inner/SKILL.md": "2", "inner/new.md": "" });
  expect((await treeHash(await pack(root))).hash).toBe(before.hash);
  write({ "_inner/SKILL.md": "" });
  expect((await treeHash(await pack(root))).hash).not.toBe(before.hash);
});

test("in any tree, each file belongs to the bundle of the nearest skill and to no other [S-13]", async () => {
  const folder = fc.array(fc.constantFrom("a", "b", "_c", "node_modules"), { maxLength: 4 });
  const file = fc
    .tuple(folder, fc.constantFrom("SKILL.md", "skill.md", "f"))
    .map(([path, name]) => [...path, name].join("/"));
  const property = fc.asyncProperty(fc.uniqueArray(file, { maxLength: 12 }), async (files) => {
    rmSync(root, { recursive: true, force: true });
    write(Object.fromEntries(["SKILL.md", ...files].map((path) => [path, ""])));
    const { skills } = await findSkillFolders(root, defaultLimits);
    const owners = new Map<string, string>();
    for (const { path, absolute } of skills) {
      const bundle = await pack(absolute, { shared: "none" });
      for (const each of bundle.files) {
        expect(owners.get(each.origin)).toBeUndefined();
        owners.set(each.origin, path);
      }
    }
    const packable = [...files, "SKILL.md"].filter(
      (path) => !path.includes("node_modules") && !hasTwin(path, [...files, "SKILL.md"]),
    );
    for (const path of packable) expect(owners.get(join(root, path))).toBeDefined();
    for (const { path, absolute, file: name } of skills) expect(owners.get(join(absolute, name))).toBe(path);
  });
  await fc.assert(property, { numRuns: 100 });
});

/** Of `SKILL.md` and `skill.md` in one folder only the first is packed. */
function hasTwin(path: string, files: readonly string[]): boolean {
  return path.endsWith("skill.md") && files.includes(path.replace(/skill\.md$/, "SKILL.md"));
}

test("reports a path that is not a folder, and stops when aborted [S-13]", async () => {
  write({ "SKILL.md": "" });
  await expect(pack(join(root, "nothing"))).rejects.toMatchObject({ code: "PATH_NOT_FOUND" });
  await expect(pack(join(root, "SKILL.md"))).rejects.toMatchObject({ code: "PATH_NOT_FOUND" });
  await expect(pack(root, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "INTERRUPTED" });
});

test.skipIf(process.platform === "win32")(
  "in any tree with links, packs exactly the regular files [S-13]",
  async () => {
    const name = fc.constantFrom("a", "b", "c", "d");
    const node = fc.record({
      folder: fc.array(name, { maxLength: 3 }),
      name: fc.constantFrom("f1", "f2", "f3"),
      kind: fc.constantFrom("file", "link-out", "link-up", "link-file"),
    });
    const targets = { "link-out": "/etc", "link-up": "..", "link-file": "/etc/hostname" } as const;
    const property = fc.asyncProperty(
      fc.uniqueArray(node, { selector: (n) => [...n.folder, n.name].join("/"), maxLength: 20 }),
      async (nodes) => {
        rmSync(root, { recursive: true, force: true });
        write({ "SKILL.md": "" });
        for (const { folder, name: leaf, kind } of nodes) {
          const path = [...folder, leaf].join("/");
          if (kind === "file") write({ [path]: path });
          else {
            mkdirSync(dirname(join(root, path)), { recursive: true });
            symlinkSync(targets[kind], join(root, path));
          }
        }
        const bundle = await pack(root);
        const expected = (isFile: boolean) =>
          nodes
            .filter(({ kind }) => (kind === "file") === isFile)
            .map((n) => [...n.folder, n.name].join("/"));
        expect(pathsOf(bundle).toSorted()).toEqual(["SKILL.md", ...expected(true)].toSorted());
        expect(bundle.omitted.map(({ path }) => path).toSorted()).toEqual(expected(false).toSorted());
      },
    );
    await fc.assert(property, { numRuns: 60 });
  },
);
