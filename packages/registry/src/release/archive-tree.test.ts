import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { archiveInMemory, unpack, writeArchive } from "@skillhold/core/archive";
import { defaultLimits } from "@skillhold/protocol/limits";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { StagedSkill } from "../record/staged-skill.ts";
import { findArchiveSkills } from "./archive-skill.ts";
import { ArchiveTree, readArchiveTree } from "./archive-tree.ts";
import { type StageOptions, stageFolder } from "./stage.ts";

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
  const unpacked = await unpack(archive, folder, { limits });
  const { tree, ...read } = await readArchiveTree(archive, { limits });
  expect(read).toEqual(unpacked);
  const onDisk = await findArchiveSkills(folder, limits);
  const inMemory = await findArchiveSkills(tree.root, limits, tree);
  expect(inMemory.map(({ path }) => path)).toEqual(onDisk.map(({ path }) => path));
  const stage = async (skills: typeof onDisk, options: StageOptions) =>
    await Promise.all(skills.map((each) => stageFolder(each.folder, options, limits).then(plain, String)));
  return {
    fromDisk: await stage(onDisk, { within: folder }),
    fromMemory: await stage(inMemory, { archive: tree }),
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
  const tree = new ArchiveTree();
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
