import { hashSkillFile } from "@skillhold/core/bundle";
import {
  deleteSkill,
  diffRevisions,
  diffStaged,
  editSkill,
  getRevision,
  getSkill,
  listRevisions,
  purgeSkill,
  readRevisionFile,
  restoreSkill,
  revisionFiles,
  rollback,
  stageFolder,
  sweepStore,
} from "@skillhold/registry/release";
import { shownFields } from "@skillhold/registry/test/record/registered-skill";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  ada,
  adasAgent,
  admin,
  bob,
  engines,
  openScene,
  type Scene,
  skillText,
  system,
  writeSkill,
} from "./scene.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

describe.each(engines)("revisions on %s", (engine) => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(engine);
  });
  afterEach(async () => {
    await scene.close();
  });

  test("lists old revisions and reads their original files [S-45]", async () => {
    await scene.publish("demo", { "references/a.md": "one\n" });
    await scene.publish("demo", { "references/a.md": "two\n", "b.bin": new Uint8Array([0, 1]) });
    expect((await listRevisions("demo", scene.context)).map(({ revision }) => revision)).toEqual([2, 1]);
    expect((await revisionFiles("demo", 1, scene.context)).map(({ path, role }) => [path, role])).toEqual([
      ["SKILL.md", "instructions"],
      ["references/a.md", "reference"],
    ]);
    const read = (revision: number | undefined, path: string, range = {}) =>
      readRevisionFile("demo", revision, path, range, scene.context);
    expect(await read(1, "references/a.md")).toMatchObject({
      content: "one\n",
      encoding: "utf-8",
      hasMore: false,
    });
    expect(await read(undefined, "references/a.md", { start: 1, length: 2 })).toMatchObject({
      content: "wo",
      size: 4,
      hasMore: true,
    });
    expect(await read(2, "b.bin")).toMatchObject({ encoding: "base64", content: "AAE=" });
    await expect(read(1, "b.bin")).rejects.toMatchObject({ code: "PATH_NOT_FOUND" });
    await expect(read(1, "../SKILL.md")).rejects.toMatchObject({ code: "RESOURCE_OUTSIDE_SKILL" });
    await expect(read(1, "SKILL.md", { start: -1 })).rejects.toMatchObject({ code: "USAGE" });
    for (const revision of [0, 3, 1.5, Number.NaN])
      await expect(read(revision, "SKILL.md")).rejects.toMatchObject({ code: "REVISION_NOT_FOUND" });
    await expect(getSkill("nothing", scene.context)).rejects.toMatchObject({ code: "SKILL_NOT_FOUND" });
  });

  test("a rollback changes the current revision with its version, tree and trust [S-45]", async () => {
    const first = await scene.publish("demo", { "SKILL.md": skillText("demo", "a", { version: "1.0.0" }) });
    await scene.publish(
      "demo",
      { "SKILL.md": skillText("demo", "b", { version: "2.0.0" }) },
      { by: adasAgent },
    );
    const back = await rollback("demo", 1, { by: ada }, scene.context);
    expect(back).toMatchObject({
      status: "rolled-back",
      from: 2,
      revision: 1,
      trust: "user",
      version: "1.0.0",
    });
    expect(await getSkill("demo", scene.context)).toMatchObject({
      revision: 1,
      lastRevision: 2,
      treeHash: first.treeHash,
    });
    const [current] = await scene.context.store.listCurrent(["demo"]);
    expect(current?.revision).toMatchObject({ version: "1.0.0", trust: "user" });
    expect(await rollback("demo", 1, { by: ada }, scene.context)).toMatchObject({ status: "unchanged" });
    expect(await rollback("demo", 2, { by: ada }, scene.context)).toMatchObject({ from: 1, revision: 2 });
    expect((await scene.events()).map(({ type }) => type)).toEqual([
      "skill.published",
      "skill.published",
      "skill.rolled_back",
      "skill.rolled_back",
    ]);
    await expect(rollback("demo", 9, { by: ada }, scene.context)).rejects.toMatchObject({
      code: "REVISION_NOT_FOUND",
    });
  });

  test("rejects changes by others without revealing a private skill [S-45]", async () => {
    await scene.publish("core", {}, { by: system });
    await scene.publish("core", { "a.txt": "a" }, { by: system });
    await scene.publish("demo");
    await scene.publish("shown");
    await editSkill("shown", { visibility: "public" }, { by: ada }, scene.context);
    const events = (await scene.events()).length;
    const verbs = [
      (id: string, by: typeof ada) => rollback(id, 1, { by }, scene.context),
      (id: string, by: typeof ada) => deleteSkill(id, { by }, scene.context),
      (id: string, by: typeof ada) => restoreSkill(id, { by }, scene.context),
      (id: string, by: typeof ada) => purgeSkill(id, { by, keep: 1, graceMs: -1 }, scene.context),
      (id: string, by: typeof ada) => editSkill(id, { visibility: "public" }, { by }, scene.context),
    ];
    for (const verb of verbs) {
      for (const by of [ada, admin, bob])
        await expect(verb("core", by)).rejects.toMatchObject({ code: "CONFLICT" });
      await expect(verb("demo", bob)).rejects.toMatchObject({
        code: "SKILL_NOT_FOUND",
        message: "There is no skill demo.",
      });
      await expect(verb("none", bob)).rejects.toThrow("There is no skill none.");
      await expect(verb("shown", bob)).rejects.toMatchObject({ code: "POLICY_DENIED" });
      await expect(verb("demo", adasAgent)).rejects.toMatchObject({ code: "POLICY_DENIED" });
    }
    expect(await scene.events()).toHaveLength(events);
  });

  test("a deleted skill is in no list and is restored unchanged [S-45]", async () => {
    await scene.publish("demo");
    await editSkill("demo", { visibility: "public", name: "Shown" }, { by: ada }, scene.context);
    const before = await getSkill("demo", scene.context);
    expect(await deleteSkill("demo", { by: ada }, scene.context)).toMatchObject({ status: "deleted" });
    expect(await deleteSkill("demo", { by: ada }, scene.context)).toMatchObject({ status: "unchanged" });
    expect(await scene.context.store.listCurrent()).toEqual([]);
    await expect(rollback("demo", 1, { by: ada }, scene.context)).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(editSkill("demo", { name: "x" }, { by: ada }, scene.context)).rejects.toMatchObject({
      code: "CONFLICT",
    });
    expect(await restoreSkill("demo", { by: ada }, scene.context)).toMatchObject({
      status: "restored",
      visibility: "public",
    });
    expect(await restoreSkill("demo", { by: ada }, scene.context)).toMatchObject({ status: "unchanged" });
    expect(await getSkill("demo", scene.context)).toEqual({ ...before, updatedAt: expect.any(String) });
    expect((await scene.events()).slice(-2).map(({ type }) => type)).toEqual([
      "skill.deleted",
      "skill.restored",
    ]);
  });

  test("a skill that was archived before deletion is archived again after restore [S-45]", async () => {
    const { store } = scene.context;
    await scene.publish("demo");
    const skill = await getSkill("demo", scene.context);
    await store.transaction((tx) => tx.putSkill({ ...skill, status: "archived", reason: "deps" }));
    await deleteSkill("demo", { by: ada }, scene.context);
    expect(await restoreSkill("demo", { by: ada }, scene.context)).toMatchObject({ state: "archived" });
    expect(await getSkill("demo", scene.context)).toMatchObject({ reason: "deps" });
  });

  test("an edit overrides SKILL.md until the next revision and is recorded [S-45]", async () => {
    await scene.publish("demo");
    const edit = (change: Parameters<typeof editSkill>[1]) =>
      editSkill("demo", change, { by: ada }, scene.context);
    expect(await edit({ name: "Shown", tags: ["a", "a", " b "], visibility: "public" })).toMatchObject({
      status: "edited",
    });
    const [current] = await scene.context.store.listCurrent();
    if (current === undefined) throw new Error("The skill is not listed.");
    expect(shownFields(current.revision.record, current.skill.override)).toEqual({
      name: "Shown",
      description: "Does demo things.",
      tags: ["a", "b"],
    });
    expect(await edit({ name: "Shown" })).toMatchObject({ status: "unchanged" });
    expect((await edit({ name: null })).skill.override).toEqual({ tags: ["a", "b"] });
    expect((await edit({ description: "Does demo things.", tags: [] })).skill.override).toEqual({});
    await edit({ description: "Other\nlines" });
    expect(await scene.publish("demo", { "a.txt": "a" })).toMatchObject({
      revision: 2,
      visibility: "public",
    });
    expect((await getSkill("demo", scene.context)).override).toEqual({});
    expect(
      (await scene.events()).flatMap((event) => (event.type === "skill.edited" ? [event.fields] : [])),
    ).toEqual([["name", "tags", "visibility"], ["tags"], [], ["description"]]);
  });

  test("rejects an edit that could break a catalog [S-45]", async () => {
    await scene.publish("demo");
    const bad = [
      { name: "" },
      { name: "a\nb" },
      { name: "x".repeat(65) },
      { description: " " },
      { description: "x".repeat(1025) },
      { description: "a\0b" },
      { name: "a\ud800" },
      { description: "\udc00b" },
      { tags: ["a\tb"] },
      { tags: Array.from({ length: 65 }, (_, index) => `t${index}`) },
    ];
    for (const edit of bad)
      await expect(editSkill("demo", edit, { by: ada }, scene.context)).rejects.toMatchObject({
        code: "USAGE",
      });
    expect(await scene.events()).toHaveLength(1);
  });

  test("a diff shows files, modes, fields and lines [S-45]", async () => {
    await scene.publish("demo", {
      "SKILL.md": skillText("demo", "a", { version: "1.0.0" }),
      "a.txt": "one\ntwo\nthree\n",
      "gone.txt": "gone\n",
      "run.sh": "#!/bin/sh\n",
      "b.bin": new Uint8Array([0, 1]),
      "same.txt": "same",
    });
    await scene.publish("demo", {
      "SKILL.md": skillText("demo", "a", { version: "1.1.0", license: "MIT" }),
      "a.txt": "one\n2\nthree\n",
      "new.txt": "new\n",
      "run.sh*": "#!/bin/sh\n",
      "b.bin": new Uint8Array([0, 2]),
      "same.txt": "same",
      "huge.txt": "x\n".repeat(300_000),
    });
    const diff = await diffRevisions("demo", 1, 2, scene.context);
    expect(diff.files.map(({ path, change, note }) => [path, change, note])).toEqual([
      ["SKILL.md", "changed", undefined],
      ["a.txt", "changed", undefined],
      ["b.bin", "changed", "binary"],
      ["gone.txt", "removed", undefined],
      ["huge.txt", "added", "too large"],
      ["new.txt", "added", undefined],
      ["run.sh", "mode", undefined],
    ]);
    expect(diff.files[1]?.text).toBe("--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
    expect(diff.files[5]?.text).toBe("--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,1 @@\n+new\n");
    expect(diff.fields).toEqual([
      { field: "license", from: undefined, to: "MIT" },
      { field: "version", from: "1.0.0", to: "1.1.0" },
    ]);
    expect(diff).toMatchObject({
      from: { revision: 1, version: "1.0.0" },
      to: { revision: 2, version: "1.1.0" },
    });
    expect((await diffRevisions("demo", 2, undefined, scene.context)).files).toEqual([]);
  });

  test("compares a folder with the published skill [S-45]", async () => {
    const { treeHash } = await scene.publish("demo", { "a.txt": "one\n" });
    const folder = writeSkill(scene.folder, "demo", { "a.txt": "two\n" });
    const staged = await stageFolder(folder, {}, scene.context.limits);
    const diff = await diffStaged("demo", undefined, staged, scene.context);
    expect(diff).toMatchObject({ from: { revision: 1, treeHash }, to: { revision: undefined }, fields: [] });
    expect(diff.files.map(({ path, change }) => [path, change])).toEqual([["a.txt", "changed"]]);
  });

  test("reports texts that differ in every line without a long comparison [S-45]", async () => {
    const lines = (mark: string) =>
      Array.from({ length: 12_000 }, (_, index) => `${mark}${index}\n`).join("");
    await scene.publish("demo", { "a.txt": lines("a") });
    await scene.publish("demo", { "a.txt": lines("b") });
    const { files } = await diffRevisions("demo", 1, 2, scene.context);
    expect(files).toMatchObject([{ path: "a.txt", change: "changed", note: "too different" }]);
  });

  test("purging removes bytes of old revisions but keeps the current one and all numbers [S-41]", async () => {
    for (const text of ["1", "2", "3", "4"]) await scene.publish("demo", { "a.txt": text });
    await rollback("demo", 1, { by: ada }, scene.context);
    const purge = (options: object) => purgeSkill("demo", { by: ada, keep: 1, ...options }, scene.context);
    expect(await purge({})).toMatchObject({ revisions: [] });
    scene.pass(31 * DAY_MS);
    expect(await purge({ dryRun: true })).toMatchObject({ revisions: [2, 3] });
    expect(await purge({})).toMatchObject({ revisions: [2, 3] });
    expect(await purge({})).toMatchObject({ revisions: [] });
    const second = await getRevision("demo", 2, scene.context);
    expect(second.purgedAt).toBeDefined();
    expect(await sweepStore({}, scene.context)).toMatchObject({ trees: 2, blobs: 2 });
    expect(await scene.context.store.findTree(second.treeHash)).toBeUndefined();
    for (const call of [
      () => rollback("demo", 2, { by: ada }, scene.context),
      () => revisionFiles("demo", 2, scene.context),
      () => diffRevisions("demo", 1, 2, scene.context),
    ])
      await expect(call()).rejects.toMatchObject({ code: "REVISION_NOT_FOUND" });
    for (const number of [1, 4]) expect(await revisionFiles("demo", number, scene.context)).toHaveLength(2);
    expect(await scene.publish("demo", { "a.txt": "2" })).toMatchObject({ revision: 5, status: "published" });
    expect(await readRevisionFile("demo", 5, "a.txt", {}, scene.context)).toMatchObject({ content: "2" });
  });

  test("a deleted skill is purged after the grace period, cannot be restored, and its id and numbers stay taken [S-45]", async () => {
    await scene.publish("demo");
    await deleteSkill("demo", { by: ada }, scene.context);
    const purge = () => purgeSkill("demo", { by: ada }, scene.context);
    expect(await purge()).toMatchObject({ revisions: [] });
    scene.pass(31 * DAY_MS);
    expect(await purge()).toMatchObject({ revisions: [1] });
    await sweepStore({}, scene.context);
    await expect(restoreSkill("demo", { by: ada }, scene.context)).rejects.toMatchObject({
      code: "REVISION_NOT_FOUND",
    });
    await expect(scene.publish("demo", {}, { by: bob })).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await scene.publish("demo")).toMatchObject({ revision: 2, status: "published" });
  });

  test("a sweep keeps shared, new and concurrently published data [S-41]", async () => {
    const { store } = scene.context;
    await scene.publish("one", { "a.txt": "shared" }, { id: "one" });
    await scene.publish("two", { "SKILL.md": skillText("one"), "a.txt": "shared" }, { id: "two" });
    await deleteSkill("one", { by: ada }, scene.context);
    scene.pass(31 * DAY_MS);
    await purgeSkill("one", { by: ada }, scene.context);
    // A publisher may have put these just now.
    const fresh = Buffer.from("put and not yet named");
    await store.blobs.put([{ digest: hashSkillFile(fresh), bytes: fresh }]);
    expect(await sweepStore({ graceMs: 0 }, scene.context)).toEqual({ trees: 0, blobs: 0, leftovers: 0 });
    const three = await scene.publish("three", { "a.txt": "three" });
    await deleteSkill("three", { by: ada }, scene.context);
    scene.pass(31 * DAY_MS);
    await purgeSkill("three", { by: ada }, scene.context);
    // Between the scan and the lock, another process publishes the same tree.
    const listTrees: typeof store.listTrees = async (page) => {
      const trees = await store.listTrees(page);
      if (trees.length > 0)
        await scene.publish("again", { "SKILL.md": skillText("three"), "a.txt": "three" }, { id: "again" });
      return trees;
    };
    const swept = await sweepStore({}, { ...scene.context, store: { ...store, listTrees } });
    expect(swept).toMatchObject({ trees: 0, blobs: 1 });
    expect(await store.findTree(three.treeHash)).toBeDefined();
    expect(await readRevisionFile("again", 1, "a.txt", {}, scene.context)).toMatchObject({
      content: "three",
    });
  });
});
