import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pack, treeHash } from "@skillhold/core/bundle";
import type { Published } from "@skillhold/core/test/session/publication";
import { copyRevision, materialise, revisionFolder } from "@skillhold/registry/release";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { engines, openScene, type Scene } from "./scene.ts";

describe.each(engines)("copies of revisions on %s", (engine) => {
  let scene: Scene;
  let published: Published;
  let copies: string;
  beforeEach(async () => {
    scene = await openScene(engine);
    copies = join(scene.folder, "copies");
    published = await scene.publish("demo", {
      "scripts/run.sh*": "#!/bin/sh\n",
      "references/deep/a.md": "a",
      ".gitignore": "extra.txt\n",
    });
  });
  afterEach(async () => {
    await scene.close();
  });
  const lay = () => materialise(published.treeHash, "demo", { folder: copies }, scene.context);

  test("writes a revision to a read-only folder named by its hash and id [S-41]", async () => {
    const folder = await lay();
    expect(folder).toBe(revisionFolder(published.treeHash, "demo", { folder: copies }));
    expect((await treeHash(await pack(folder))).hash).toBe(published.treeHash);
    const mode = (path: string) => statSync(join(folder, path)).mode & 0o777;
    expect(["", "scripts", "references/deep", "SKILL.md", "scripts/run.sh"].map(mode)).toEqual([
      0o555, 0o555, 0o555, 0o444, 0o555,
    ]);
    expect(readdirSync(copies)).toEqual([published.treeHash.slice("sha256:".length)]);
  });

  test("concurrent and later calls share one copy [S-41]", async () => {
    const folders = await Promise.all(Array.from({ length: 20 }, lay));
    expect(new Set(folders).size).toBe(1);
    const { ino } = statSync(folders[0] ?? "");
    // Another process has not verified the copy.
    const elsewhere = { ...scene.context, store: { ...scene.context.store } };
    await materialise(published.treeHash, "demo", { folder: copies }, elsewhere);
    expect(statSync(await lay()).ino).toBe(ino);
    const both = await Promise.all(
      [1, 2, 3, 4].map(() =>
        materialise(
          published.treeHash,
          "other",
          { folder: copies },
          { ...scene.context, store: { ...scene.context.store } },
        ),
      ),
    );
    expect(readFileSync(join(both[0] ?? "", "references/deep/a.md"), "utf8")).toBe("a");
    expect(readdirSync(copies)).toHaveLength(1);
  });

  test.each<[string, (folder: string) => void]>([
    ["changed bytes", (folder) => write(join(folder, "references/deep/a.md"), "b")],
    ["an extra file", (folder) => write(join(folder, "scripts/more.sh"), "")],
    ["an extra file that the packer ignores", (folder) => write(join(folder, "extra.txt"), "")],
    ["an extra empty folder", (folder) => open(folder, () => mkdirSync(join(folder, "node_modules")))],
    ["a missing file", (folder) => open(folder, () => rmSync(join(folder, "SKILL.md")))],
    ["another mode", (folder) => chmodSync(join(folder, "references/deep/a.md"), 0o755)],
    [
      "a link in the place of a file",
      (folder) =>
        open(folder, () => {
          rmSync(join(folder, "SKILL.md"));
          symlinkSync("/etc/hostname", join(folder, "SKILL.md"));
        }),
    ],
    [
      "a link in the place of the copy",
      (folder) => {
        rmSync(folder, { recursive: true });
        symlinkSync("/etc", folder);
      },
    ],
  ])("replaces a copy with %s, in this process and the next [S-41]", async (_, tamper) => {
    for (const context of [scene.context, { ...scene.context, store: { ...scene.context.store } }]) {
      const folder = await lay();
      tamper(folder);
      expect(await materialise(published.treeHash, "demo", { folder: copies }, context)).toBe(folder);
      expect((await treeHash(await pack(folder))).hash).toBe(published.treeHash);
      expect(readdirSync(folder).sort()).toEqual([".gitignore", "SKILL.md", "references", "scripts"]);
      expect(existsSync("/etc/hostname")).toBe(true);
    }
    expect(readdirSync(copies)).toHaveLength(1);
  });

  test("the folder for copies is private [S-41]", async () => {
    await lay();
    expect(statSync(copies).mode & 0o777).toBe(0o700);
    // Older versions created it with read access for others.
    chmodSync(copies, 0o755);
    await lay();
    expect(statSync(copies).mode & 0o777).toBe(0o700);
    const refused = { code: "CONFIG_INVALID" };
    for (const mode of [0o720, 0o702]) {
      chmodSync(copies, mode);
      await expect(lay()).rejects.toMatchObject(refused);
    }
    chmodSync(copies, 0o700);
    symlinkSync(copies, `${copies}-link`);
    copies = `${copies}-link`;
    await expect(lay()).rejects.toMatchObject(refused);
    copies = join(scene.folder, "theirs");
    mkdirSync(copies, { mode: 0o700 });
    if (process.geteuid?.() !== 0) return;
    // Only root can change the owner.
    chownSync(copies, 12_345, 12_345);
    await expect(lay()).rejects.toMatchObject(refused);
  });

  test("a failed copy leaves no files [S-41]", async () => {
    await scene.context.store.blobs.remove([published.skillHash], new Date(Date.now() + 60_000));
    await expect(lay()).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
    expect(readdirSync(copies)).toEqual([]);
    for (const id of ["..", "a/b", "", "A"])
      await expect(materialise(published.treeHash, id, { folder: copies }, scene.context)).rejects.toThrow();
  });

  test("does not deliver a tree whose row was changed [S-41]", async () => {
    const { store } = scene.context;
    const files = (await store.findTree(published.treeHash)) ?? [];
    const moved = files.map((file) => ({
      ...file,
      path: file.path === "SKILL.md" ? "../SKILL.md" : file.path,
    }));
    await store.transaction((tx) => tx.putTree(published.treeHash, moved));
    await expect(lay()).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
    const target = join(scene.folder, "target");
    mkdirSync(target);
    await expect(copyRevision(published.treeHash, target, scene.context)).rejects.toMatchObject({
      code: "INTEGRITY_FAILED",
    });
    expect(readdirSync(target)).toEqual([]);
  });

  test("writes a copy only to an empty folder and verifies its hash [S-41]", async () => {
    const target = join(scene.folder, "target");
    mkdirSync(target);
    expect(await copyRevision(published.treeHash, target, scene.context)).toBe(published.treeHash);
    expect((await treeHash(await pack(target))).hash).toBe(published.treeHash);
    await expect(copyRevision(published.treeHash, target, scene.context)).rejects.toMatchObject({
      code: "USAGE",
    });
  });
});

function write(path: string, text: string): void {
  open(join(path, ".."), () => {
    rmSync(path, { force: true });
    writeFileSync(path, text, { mode: 0o444 });
  });
}

/** Only root can write to a read-only folder. */
function open(folder: string, work: () => void): void {
  chmodSync(folder, 0o755);
  work();
  chmodSync(folder, 0o555);
}
