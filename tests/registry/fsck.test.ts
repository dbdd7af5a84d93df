import { chmodSync, existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { hashSkillFile } from "@skillhold/core/bundle";
import { type FsckOptions, fsck } from "@skillhold/registry/fsck";
import {
  deleteSkill,
  getSkill,
  materialise,
  purgeSkill,
  readRevisionFile,
  restoreSkill,
  rollback,
  sweepStore,
} from "@skillhold/registry/release";
import postgres from "postgres";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ada, engines, openScene, type Scene } from "./scene.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

describe.each(engines)("fsck on %s", (engine) => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(engine);
  });
  afterEach(async () => {
    await scene.close();
  });
  const check = async (options: FsckOptions = {}) => {
    const { findings, isClean } = await fsck(options, scene.context);
    return {
      isClean,
      found: findings.map((each) => `${each.code} ${each.subject}${each.isRepaired ? " repaired" : ""}`),
    };
  };
  /** Changes the tables directly, as a disk error or a person would. */
  const damage = async (statement: string) => {
    if (engine === "sqlite") {
      const db = new DatabaseSync(scene.url.slice("sqlite:".length));
      db.exec("pragma foreign_keys = off");
      db.exec(statement);
      db.close();
    } else {
      const client = postgres(scene.url, { max: 1 });
      await client.unsafe(statement);
      await client.end();
    }
  };

  test("reports a used store as clean after every operation [S-64]", async () => {
    await scene.publish("one", { "a.txt": "1" });
    await scene.publish("one", { "a.txt": "2" });
    await scene.publish("one", { "a.txt": "3" });
    await rollback("one", 1, { by: ada }, scene.context);
    await scene.publish("two");
    await deleteSkill("two", { by: ada }, scene.context);
    await restoreSkill("two", { by: ada }, scene.context);
    await scene.publish("three");
    await deleteSkill("three", { by: ada }, scene.context);
    scene.pass(31 * DAY_MS);
    await purgeSkill("one", { by: ada, keep: 1 }, scene.context);
    await purgeSkill("three", { by: ada }, scene.context);
    const report = await fsck({}, scene.context);
    expect(report).toMatchObject({ isClean: true, checked: { skills: 3, revisions: 5, events: 11 } });
    expect(report.findings.map(({ code }) => code)).toEqual(["TREE_ORPHAN", "TREE_ORPHAN"]);
    expect((await check({ repair: true })).found.every((line) => line.endsWith("repaired"))).toBe(true);
    expect(await check()).toEqual({ isClean: true, found: [] });
  });

  test("finds missing and damaged bytes and restores them from an intact copy [S-41]", async () => {
    const copies = join(scene.folder, "copies");
    const { treeHash, skillHash } = await scene.publish("demo", { "a.txt": "a", "b.txt": "b" });
    const copy = await materialise(treeHash, "demo", { folder: copies }, scene.context);
    await breakBlob(scene, engine, "a");
    await scene.context.store.blobs.remove([skillHash], new Date(Date.now() + 60_000));
    const lost = [`BLOB_DAMAGED ${digestOf("a")}`, `BLOB_MISSING ${skillHash}`];
    expect(await check()).toEqual({ isClean: false, found: lost });
    expect(await check({ repair: true })).toEqual({ isClean: false, found: lost });
    chmodSync(join(copy, "b.txt"), 0o644);
    writeFileSync(join(copy, "b.txt"), "x");
    const hex = treeHash.slice("sha256:".length);
    const damaged = `COPY_DAMAGED ${hex}/demo`;
    expect(await check({ copies })).toEqual({ isClean: false, found: [...lost, damaged] });
    writeFileSync(join(copy, "b.txt"), "b");
    chmodSync(join(copy, "b.txt"), 0o444);
    expect(await check({ copies, repair: true })).toEqual({
      isClean: true,
      found: lost.map((line) => `${line} repaired`),
    });
    expect(await check({ copies })).toEqual({ isClean: true, found: [] });
    expect(await readRevisionFile("demo", 1, "a.txt", {}, scene.context)).toMatchObject({ content: "a" });
  });

  test("finds missing and changed trees and restores them from a copy [S-41]", async () => {
    const copies = join(scene.folder, "copies");
    const one = await scene.publish("one", { "a.sh*": "1" });
    const two = await scene.publish("two", { "a.sh*": "2" });
    for (const { treeHash, id } of [one, two])
      await materialise(treeHash, id, { folder: copies }, scene.context);
    await scene.context.store.transaction(async (tx) => {
      const files = (await tx.findTree(one.treeHash)) ?? [];
      await tx.putTree(
        one.treeHash,
        files.map((file) => ({ ...file, executable: false })),
      );
      await tx.removeTrees([two.treeHash]);
    });
    const found = [`TREE_DAMAGED ${one.treeHash}`, `TREE_MISSING ${two.treeHash}`];
    expect(await check()).toMatchObject({ isClean: false, found: expect.arrayContaining(found) });
    expect(await check({ copies, repair: true })).toMatchObject({ isClean: true });
    expect(await check({ copies })).toEqual({ isClean: true, found: [] });
  });

  test.each([
    ["a current revision that does not exist", "update skill set revision = 7", /POINTER_WRONG demo/],
    ["a current revision without an event", "update skill set revision = 1", /POINTER_WRONG demo/],
    [
      "the tree hash of another revision",
      `update skill set tree_hash = 'sha256:${"0".repeat(64)}'`,
      /POINTER_WRONG demo/,
    ],
    ["a revision count that is too high", "update skill set last_revision = 9", /LAST_REVISION_WRONG demo/],
    ["a missing revision", "delete from revision where revision = 1", /REVISION_MISSING demo@1/],
    [
      "a purged current revision",
      "update revision set purged_at = '2026-01-01T00:00:00.000Z'",
      /POINTER_WRONG demo/,
    ],
    ["a deletion without an event", "update skill set status = 'deleted'", /EVENT_MISSING demo/],
    ["a missing event", "delete from event where seq = 1", /EVENT_BROKEN event 1/],
    [
      "a changed event",
      "update event set body = replace(body, 'ada', 'eve') where seq = 2",
      /EVENT_BROKEN event 2/,
    ],
    [
      "an event with another hash",
      `update event set hash = '${"0".repeat(64)}' where seq = 1`,
      /EVENT_BROKEN event [12]/,
    ],
    ["a wrong size", "update revision set bytes = 1 where revision = 2", /REVISION_MISMATCH demo@2/],
    [
      "another SKILL.md",
      `update revision set skill_hash = 'sha256:${"0".repeat(64)}'`,
      /REVISION_MISMATCH demo@1/,
    ],
  ])("finds %s without inventing data [S-64]", async (_, statement, expected) => {
    await scene.publish("demo", { "a.txt": "1" });
    await scene.publish("demo", { "a.txt": "2" });
    await damage(statement);
    const { isClean, found } = await check({ repair: true });
    expect(isClean).toBe(false);
    expect(found.join("\n")).toMatch(expected);
    expect(found.filter((line) => line.endsWith("repaired"))).toEqual([]);
  });

  test("removes no data while rows are damaged [S-64]", async () => {
    const first = await scene.publish("demo", { "a.txt": "1" });
    await scene.publish("demo", { "a.txt": "2" });
    await damage("delete from revision where revision = 1");
    scene.pass(31 * DAY_MS);
    await check({ repair: true });
    await expect(sweepStore({}, scene.context)).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
    expect(await scene.context.store.findTree(first.treeHash)).toHaveLength(2);
    expect(await scene.context.store.blobs.get(digestOf("1"))).toBeDefined();
  });

  test("repairs a count that is too low, so that numbers are not reused [S-41]", async () => {
    await scene.publish("demo", { "a.txt": "1" });
    await scene.publish("demo", { "a.txt": "2" });
    await damage("update skill set last_revision = 1");
    expect(await check()).toEqual({ isClean: false, found: ["LAST_REVISION_WRONG demo"] });
    expect(await check({ repair: true })).toEqual({
      isClean: true,
      found: ["LAST_REVISION_WRONG demo repaired"],
    });
    expect(await getSkill("demo", scene.context)).toMatchObject({ lastRevision: 2, revision: 2 });
    expect(await scene.publish("demo", { "a.txt": "3" })).toMatchObject({ revision: 3 });
  });

  test("reports unreferenced data after the grace period and removes it only on request [S-41]", async () => {
    const { blobs } = scene.context.store;
    await scene.publish("demo");
    await blobs.put([{ digest: digestOf("left"), bytes: Buffer.from("left") }]);
    expect(await check({ repair: true, graceMs: 0 })).toEqual({ isClean: true, found: [] });
    scene.pass(2 * 60 * 60 * 1000);
    expect(await check()).toEqual({ isClean: true, found: [`BLOB_ORPHAN ${digestOf("left")}`] });
    expect(await check({ repair: true })).toMatchObject({
      found: [`BLOB_ORPHAN ${digestOf("left")} repaired`],
    });
    await expect(blobs.get(digestOf("left"))).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
    expect(await check()).toEqual({ isClean: true, found: [] });
  });

  test("removes copies of missing trees and incomplete copies [S-41]", async () => {
    const copies = join(scene.folder, "copies");
    const { treeHash } = await scene.publish("demo");
    await materialise(treeHash, "demo", { folder: copies }, scene.context);
    mkdirSync(join(copies, ".new-left"));
    utimesSync(join(copies, ".new-left"), 0, 0);
    mkdirSync(join(copies, ".new-now"));
    writeFileSync(join(copies, "note.txt"), "not ours");
    await deleteSkill("demo", { by: ada }, scene.context);
    scene.pass(31 * DAY_MS);
    utimesSync(join(copies, ".new-now"), scene.context.clock.now(), scene.context.clock.now());
    await purgeSkill("demo", { by: ada }, scene.context);
    await check({ repair: true });
    const { found } = await check({ repair: true, copies });
    expect(found).toEqual(["COPY_ORPHAN .new-left repaired", `COPY_ORPHAN ${treeHash.slice(7)} repaired`]);
    expect(readdirSync(copies).sort()).toEqual([".new-now", "note.txt"]);
    expect(existsSync(scene.folder)).toBe(true);
  });

  test("does not report a concurrent publish as damage [S-64]", async () => {
    let isDone = false;
    const publishing = (async () => {
      for (let number = 0; !isDone; number += 1)
        await scene.publish(`skill-${number % 3}`, { "a.txt": `${number}` });
    })();
    for (let round = 0; round < 8; round += 1)
      expect(await check({ repair: true })).toEqual({ isClean: true, found: [] });
    isDone = true;
    await publishing;
  });
});

function digestOf(text: string) {
  return hashSkillFile(Buffer.from(text));
}

/** Replaces the bytes of a blob. */
async function breakBlob(scene: Scene, engine: string, text: string): Promise<void> {
  const digest = digestOf(text);
  const hex = digest.slice("sha256:".length);
  if (engine === "sqlite") {
    const folder = `${scene.url.slice("sqlite:".length)}.d/blobs`;
    const path = join(folder, hex.slice(0, 2), hex);
    chmodSync(path, 0o644);
    writeFileSync(path, "x");
  } else {
    const client = postgres(scene.url, { max: 1 });
    await client.unsafe("update blob set content = decode('78', 'hex') where digest like $1", [`%${hex}`]);
    await client.end();
  }
}
