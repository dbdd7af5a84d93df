import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { anyone, FakeFolders, until } from "./fake-folders.ts";
import type { LibraryChange } from "./library.ts";
import type { LiveReloadOptions } from "./live-reload.ts";
import type { FolderLibrary } from "./open-library.ts";

let folders: FakeFolders;
beforeEach(() => {
  folders = new FakeFolders();
});
afterEach(() => folders.close());

describe("watching", () => {
  const quick = { debounceMs: 60, pollMs: 100_000, fullMs: 100_000 };

  test("a storm of saves is one reload with one diff [S-18]", async () => {
    for (const id of ["a", "b"]) folders.skill(`skills/${id}`);
    const { library, changes } = await openWatched(quick);
    for (let count = 0; count < 20; count += 1) folders.skill("skills/a", `description: number ${count}`);
    folders.skill("skills/c");
    rmSync(join(folders.root, "skills/b"), { recursive: true });
    await until(() => changes.length > 0);
    await setTimeout(150);
    expect(changes).toEqual([{ added: ["c"], changed: ["a"], removed: ["b"], broken: [] }]);
    expect((await library.find(anyone, "a"))?.description).toBe("number 19");
  });

  test("a broken edit keeps the last good text and refuses the files until it is valid again [S-18]", async () => {
    const file = folders.skill("skills/a", "description: x", "Good.\n");
    folders.write("skills/a/references/x.md", "x");
    const { library, changes } = await openWatched(quick);
    writeFileSync(file, "no frontmatter any more");
    await until(() => changes.length === 1);
    expect(changes[0]).toMatchObject({
      added: [],
      changed: [],
      removed: [],
      broken: [{ id: "a", message: expect.stringContaining("frontmatter") }],
    });
    expect(await library.read(anyone, "a")).toMatchObject({ body: "Good.\n", isLastGood: true });
    await expect(library.resource(anyone, "a", "references/x.md")).rejects.toMatchObject({
      code: "SKILL_INVALID",
    });
    folders.skill("skills/a", "description: x", "Better.\n");
    await until(() => changes.length === 2);
    expect(await library.read(anyone, "a")).toMatchObject({ body: "Better.\n", isLastGood: false });
    expect((await library.resource(anyone, "a", "references/x.md")).content).toBe("x");
  });

  test("folders that are renamed, vanish and come back are followed [S-18]", async () => {
    folders.skill("skills/a");
    const { library, changes } = await openWatched(quick);
    const ids = async () => (await library.list(anyone)).map(({ id }) => id);
    renameSync(join(folders.root, "skills/a"), join(folders.root, "skills/b"));
    await until(async () => (await ids()).join() === "b");
    rmSync(join(folders.root, "skills"), { recursive: true });
    await until(async () => (await ids()).length === 0);
    folders.skill("skills/again");
    await library.reload();
    expect(await ids()).toEqual(["again"]);
    expect(changes.length).toBeGreaterThanOrEqual(3);
  });

  test("above the budget of watches the folders are polled [S-18]", async () => {
    for (const id of ["a", "b", "c"]) folders.skill(`skills/${id}`);
    const { library, changes } = await openWatched({ ...quick, maxWatches: 2, pollMs: 80 });
    expect(library.inspect().mode).toBe("poll");
    folders.skill("skills/a", "description: polled");
    await until(() => changes.length > 0);
    expect(changes[0]).toMatchObject({ changed: ["a"] });
  });

  test("a nested skill that appears inside a skill is found [S-18]", async () => {
    folders.skill("skills/a");
    const { changes } = await openWatched(quick);
    folders.skill("skills/a/inner");
    await until(() => changes.length > 0);
    expect(changes[0]).toMatchObject({ added: ["inner"] });
  });
});

async function openWatched(
  watch: LiveReloadOptions,
): Promise<{ library: FolderLibrary; changes: LibraryChange[] }> {
  const library = await folders.open([folders.source("skills")], { watch });
  const changes: LibraryChange[] = [];
  library.onChange((change) => changes.push(change));
  return { library, changes };
}
