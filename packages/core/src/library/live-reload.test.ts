import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SkillEvent } from "@skillhold/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ManualTimers } from "../manual-timers.fixture.ts";
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

  test("many saves at once cause one reload with one diff [S-18]", async () => {
    for (const id of ["a", "b"]) folders.skill(`skills/${id}`);
    const { library, changes } = await openWatched(quick);
    for (let count = 0; count < 20; count += 1) folders.skill("skills/a", `description: number ${count}`);
    folders.skill("skills/c");
    rmSync(join(folders.root, "skills/b"), { recursive: true });
    await until(() => changes.length > 0);
    expect((await library.find(anyone, "a"))?.description).toBe("number 19");
    // The next report contains only the next edit.
    folders.skill("skills/d");
    await until(() => changes.length > 1);
    expect(changes).toEqual([
      { added: ["c"], changed: ["a"], removed: ["b"], broken: [] },
      { added: ["d"], changed: [], removed: [], broken: [] },
    ]);
  });

  test("reports a change of a script, a tool, a reference or any other file of a skill [S-18]", async () => {
    for (const id of ["a", "b"]) folders.skill(`skills/${id}`);
    folders.write("skills/a/scripts/deep/run.py", "print(0)");
    const { library, changes } = await openWatched(quick);
    const { treeHash } = await library.read(anyone, "a");
    // The first look at the files may come after an edit, so edits go on until one is reported.
    let edit = 0;
    await until(() => {
      edit += 1;
      folders.write("skills/a/scripts/deep/run.py", `print(${"1".repeat(edit)})`);
      return changes.length > 0;
    });
    expect(changes[0]).toEqual({ added: [], changed: ["a"], removed: [], broken: [] });
    expect((await library.read(anyone, "a")).treeHash).not.toBe(treeHash);
    const count = changes.length;
    folders.write("skills/b/tools/new.mjs", "export default {};");
    await until(() => changes.slice(count).some(({ changed }) => changed.includes("b")));
  });

  test("above the budget, a full search finds the change of a script [S-18]", async () => {
    folders.skill("skills/a");
    folders.write("skills/a/scripts/run.py", "print(0)");
    const timers = new ManualTimers();
    const { changes } = await openWatched({ maxWatches: 0, timers });
    let edit = 0;
    await until(() => {
      edit += 1;
      folders.write("skills/a/scripts/run.py", `print(${"1".repeat(edit)})`);
      timers.advance(60_000);
      return changes.length > 0;
    });
    expect(changes[0]).toMatchObject({ changed: ["a"] });
  });

  test("a reload waits for a quiet period [S-18]", async () => {
    folders.skill("skills/a");
    const timers = new ManualTimers();
    const { library, changes } = await openWatched({ debounceMs: 1000, timers });
    for (const text of ["one", "two", "three"]) {
      folders.skill("skills/a", `description: ${text}`);
      // The watch reports the edit, which starts the quiet period again.
      await until(() => timers.delays.includes(1000));
      timers.advance(999);
      expect(changes).toEqual([]);
    }
    await until(() => {
      timers.advance(1000);
      return changes.length > 0;
    });
    expect(changes).toHaveLength(1);
    expect((await library.find(anyone, "a"))?.description).toBe("three");
  });

  test("a broken edit keeps the last good text and refuses the files until it is valid again [S-18] [S-19]", async () => {
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
    expect(await library.explain(anyone, "a")).toMatchObject([
      { state: "visible", warnings: [expect.stringMatching(/^its SKILL\.md is invalid, .*frontmatter/)] },
    ]);
    folders.skill("skills/a", "description: x", "Better.\n");
    await until(() => changes.length === 2);
    expect(await library.explain(anyone, "a")).toMatchObject([{ state: "visible", warnings: [] }]);
    expect(await library.read(anyone, "a")).toMatchObject({ body: "Better.\n", isLastGood: false });
    expect((await library.resource(anyone, "a", "references/x.md")).content).toBe("x");
  });

  test("follows folders that are renamed, removed and restored [S-18]", async () => {
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

  test("watches a folder that replaced another one [S-18]", async () => {
    folders.skill("skills/a");
    folders.skill("aside/a", "description: replaced");
    const { library, changes } = await openWatched(quick);
    const description = async () => (await library.find(anyone, "a"))?.description;
    renameSync(join(folders.root, "skills/a"), join(folders.root, "old"));
    renameSync(join(folders.root, "aside/a"), join(folders.root, "skills/a"));
    await until(async () => (await description()) === "replaced");
    // The folders are watched again when the reload that reported the change ends.
    await library.reload();
    folders.skill("skills/a", "description: edited");
    await until(async () => (await description()) === "edited");
    expect(changes.length).toBeGreaterThanOrEqual(2);
  });

  test("finds a root that returns or first appears, without a request [S-18]", async () => {
    const timers = new ManualTimers();
    const { library } = await openWatched({ timers });
    const untilListed = (count: number) =>
      until(async () => {
        timers.advance(5000);
        return (await library.list(anyone)).length === count;
      });
    folders.skill("skills/a");
    await untilListed(1);
    rmSync(join(folders.root, "skills"), { recursive: true });
    await untilListed(0);
    folders.skill("skills/b");
    await untilListed(1);
  });

  test("a link to itself in a watched folder is harmless [S-18]", async () => {
    folders.skill("skills/a");
    const { changes } = await openWatched(quick);
    symlinkSync("loop", join(folders.root, "skills/loop"));
    folders.skill("skills/b");
    await until(() => changes.length > 0);
    expect(changes[0]).toMatchObject({ added: ["b"] });
  });

  test("reads a repaired file at once, before the watch reports it [S-18] [S-55]", async () => {
    const file = folders.skill("skills/a", "description: x", "Good.\n");
    const { library } = await openWatched({ ...quick, debounceMs: 600_000 });
    writeFileSync(file, "");
    await library.reload();
    expect(await library.read(anyone, "a")).toMatchObject({ body: "Good.\n", isLastGood: true });
    folders.skill("skills/a", "description: x", "Better.\n");
    expect(await library.read(anyone, "a")).toMatchObject({ body: "Better.\n", isLastGood: false });
  });

  test("keeps the last good text after a start from the cache [S-17] [S-18]", async () => {
    const file = folders.skill("skills/a", "description: x", "Good.\n");
    const kept = new Map<string, Uint8Array>();
    const cache = {
      load: (key: string) => kept.get(key)?.slice(),
      save: (key: string, bytes: Uint8Array) => void kept.set(key, bytes),
    };
    await folders.open([folders.source("skills")], { cache });
    const library = await folders.open([folders.source("skills")], { cache, watch: quick });
    const changes: LibraryChange[] = [];
    library.onChange((change) => changes.push(change));
    await library.reload();
    writeFileSync(file, "broken");
    await until(() => changes.length > 0);
    expect(changes[0]).toMatchObject({ removed: [], broken: [{ id: "a" }] });
    expect(await library.read(anyone, "a")).toMatchObject({ body: "Good.\n", isLastGood: true });
    folders.skill("skills/b");
    await until(() => changes.length > 1);
    expect(changes[1]).toEqual({ added: ["b"], changed: [], removed: [], broken: [] });
  });

  test("writing the same bytes is no change, and a failing listener does not block the others [S-18]", async () => {
    const file = folders.skill("skills/a");
    const library = await folders.open([folders.source("skills")]);
    writeFileSync(file, readFileSync(file));
    expect(await library.reload()).toBeUndefined();
    const heard: LibraryChange[] = [];
    library.onChange(() => {
      throw new Error("a listener's own");
    });
    library.onChange((change) => heard.push(change));
    folders.skill("skills/b");
    await expect(library.reload()).rejects.toThrow("a listener's own");
    expect(heard).toHaveLength(1);
  });

  test("a reload starts after the one before it is recorded and told [S-18]", async () => {
    const steps: string[] = [];
    const recording = Promise.withResolvers<void>();
    const recorded = Promise.withResolvers<void>();
    const ports = {
      audit: {
        record: async ({ type }: SkillEvent) => {
          steps.push(type);
          recording.resolve();
          await recorded.promise;
        },
      },
      clock: {
        now: () => {
          steps.push("scan");
          return new Date();
        },
      },
    };
    const library = await folders.open([folders.source("skills")], { ports });
    library.onChange(({ added }) => void steps.push(`told ${added.join()}`));
    folders.skill("skills/a");
    const first = library.reload();
    await recording.promise;
    folders.skill("skills/b");
    steps.length = 0;
    const second = library.reload();
    // A scan begins with the time, in the same turn.
    expect(steps).toEqual([]);
    recorded.resolve();
    await Promise.all([first, second]);
    expect(steps.filter((step) => step.startsWith("told"))).toEqual(["told a", "told b"]);
  });

  test("polls folders above the watch budget [S-18]", async () => {
    for (const id of ["a", "b", "c"]) folders.skill(`skills/${id}`);
    const timers = new ManualTimers();
    const { library, changes } = await openWatched({ maxWatches: 2, timers });
    expect(library.inspect().mode).toBe("poll");
    folders.skill("skills/a", "description: polled");
    timers.advance(5000);
    await until(() => changes.length > 0);
    expect(changes[0]).toMatchObject({ changed: ["a"] });
  });

  test("finds a new nested skill [S-18]", async () => {
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
  // Waits for the first scan after the start, so that it does not include an edit of a test.
  await library.reload();
  return { library, changes };
}
