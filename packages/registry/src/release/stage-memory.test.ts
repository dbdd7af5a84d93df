import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { archiveInMemory, unpack, writeArchive } from "@skillhold/core/archive";
import { MemoryTree } from "@skillhold/core/bundle";
import { findSkillFolders } from "@skillhold/core/source";
import { defaultLimits } from "@skillhold/protocol/limits";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { StagedSkill } from "../record/staged-skill.ts";
import { findArchiveSkills } from "./archive-skill.ts";
import { type StageOptions, stageFolder, treeOfFiles } from "./stage.ts";

const limits = defaultLimits;
const skillText = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\n`;

type Files = Readonly<Record<string, string>>;

/** Stages all skills of an archive from memory and from a folder. */
async function stageBoth(format: "zip" | "tar.gz", files: Files) {
  const entries = Object.entries(files).map(([path, text]) => ({
    path,
    executable: path.endsWith(".sh"),
    content: new TextEncoder().encode(text),
  }));
  const archive = archiveInMemory(await writeArchive(format, entries));
  const folder = mkdtempSync(join(tmpdir(), "skillhold-tree-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const { path, executable, content } of entries) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
    chmodSync(join(folder, path), executable ? 0o755 : 0o644);
  }
  const { tree } = await unpack(archive, { limits });
  const bounds = { ...limits, discoveryDepth: limits.pathDepth };
  const onDisk = (await findSkillFolders(folder, bounds)).skills;
  const inMemory = await findArchiveSkills(tree, limits);
  expect(inMemory.map(({ path }) => path)).toEqual(onDisk.map(({ path }) => path));
  const stage = async (folders: readonly string[], options: StageOptions) =>
    await Promise.all(folders.map((each) => stageFolder(each, options, limits).then(plain, String)));
  const disk = onDisk.map(({ absolute }) => absolute);
  const memory = inMemory.map((each) => each.folder);
  return {
    fromDisk: await stage(disk, { within: folder }),
    fromMemory: await stage(memory, { tree }),
  };
}

/** The disk gives buffers. */
function plain(staged: StagedSkill): StagedSkill {
  const files = staged.files.map((file) => ({ ...file, content: new Uint8Array(file.content) }));
  return { ...staged, files };
}

test.each(["zip", "tar.gz"] as const)(
  "the skills of a %s are the same from memory as from a folder [S-42]",
  async (format) => {
    const { fromDisk, fromMemory } = await stageBoth(format, {
      "repo/_shared/tool.py": "import other\n",
      "repo/_shared/other.py": "",
      "repo/_shared/unused.py": "",
      "repo/a/SKILL.md": skillText("a"),
      "repo/a/.skillignore": "drafts/\n*.log\n",
      "repo/a/scripts/run.py": "import tool\n",
      "repo/a/scripts/run.sh": "#!/bin/sh\n",
      "repo/a/drafts/x.md": "x",
      "repo/a/out.log": "x",
      "repo/a/node_modules/x.js": "x",
      "repo/a/inner/SKILL.md": skillText("inner"),
      "repo/b/skill.md": skillText("b"),
      "repo/broken/SKILL.md": "---\nname: [\n---\n",
    });
    expect(fromMemory).toEqual(fromDisk);
    expect(fromMemory.filter((each) => typeof each === "string")).toHaveLength(1);
    const [first] = fromMemory;
    if (first === undefined || typeof first === "string") throw new Error(`not staged: ${first}`);
    expect(first.files.map(({ path, executable }) => (executable ? `${path}*` : path))).toEqual([
      ".skillignore",
      "SKILL.md",
      "_shared/other.py",
      "_shared/tool.py",
      "scripts/run.py",
      "scripts/run.sh*",
    ]);
  },
);

test("any tree of names gives the same skills from memory as from a folder [S-42]", async () => {
  const folder = fc.constantFrom("a", "B", "_x", "_shared", "tools", "é", "node_modules");
  const file = fc.constantFrom("SKILL.md", "skill.md", ".gitignore", ".skillignore", "x.py");
  const path = fc
    .tuple(fc.array(folder, { maxLength: 3 }), file)
    .map(([folders, name]) => [...folders, name]);
  const paths = fc.uniqueArray(
    path.map((names) => names.join("/")),
    { maxLength: 8, selector: (each) => each.toLowerCase() },
  );
  await fc.assert(
    fc.asyncProperty(paths, async (some) => {
      const files = ["c/SKILL.md", ...some].map((each) => [
        each,
        /SKILL/i.test(each) ? skillText("a") : "x.py\n",
      ]);
      const { fromDisk, fromMemory } = await stageBoth("zip", Object.fromEntries(files));
      expect(fromMemory).toEqual(fromDisk);
    }),
    { numRuns: 60 },
  );
});

test("a tree in memory reads its files and no others [S-42]", () => {
  const tree = new MemoryTree();
  tree.add("a/b.txt", new TextEncoder().encode("text"));
  const at = (path: string) => join(tree.root, path);
  const read = (path: string, maxBytes = 10) => tree.read(path, maxBytes);
  expect(read(at("a/b.txt"))).toEqual({ bytes: new TextEncoder().encode("text") });
  expect(read(at("a/b.txt"), 3)).toMatchObject({ problem: { reason: "too-large" } });
  expect(read(at("a"))).toMatchObject({ problem: { reason: "not-a-file" } });
  for (const path of [at("b.txt"), "/etc/passwd", at("../etc/passwd"), at("a/b.txt/c")]) {
    expect(read(path)).toMatchObject({ problem: { reason: "missing" } });
    expect([tree.stat(path), tree.realPath(path)]).toEqual([undefined, undefined]);
    expect(() => tree.list(path)).toThrow("is not a folder");
  }
  expect(tree.list(tree.root).map((each) => each.name)).toEqual(["a"]);
});

test.each([
  ["that leave the tree", ["../a.md"], "RESOURCE_OUTSIDE_SKILL"],
  ["that appear twice", ["a.md", "a.md"], "SKILL_INVALID"],
  ["that are a file and then a folder", ["a", "a/b.md"], "SKILL_INVALID"],
  ["that are a folder and then a file", ["a/b.md", "a"], "SKILL_INVALID"],
])("rejects files with paths %s [S-26]", (_, paths, code) => {
  const files = paths.map((path) => ({ path, content: new Uint8Array() }));
  expect(() => treeOfFiles(files, limits)).toThrow(expect.objectContaining({ code }));
});
