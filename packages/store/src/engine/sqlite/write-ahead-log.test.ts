import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemTimers } from "@skillhold/core/port";
import { expect, onTestFinished, test } from "vitest";
import { sql } from "../sql.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { SqliteDb } from "./sqlite-db.ts";
import { WriteAheadLog } from "./write-ahead-log.ts";

/** A database whose syncs end when the test says so. */
function open() {
  const root = mkdtempSync(join(tmpdir(), "skillhold-log-"));
  const path = join(root, "a.db");
  const syncs: PromiseWithResolvers<void>[] = [];
  const datasync = () => {
    const sync = Promise.withResolvers<void>();
    syncs.push(sync);
    return sync.promise;
  };
  const log = new WriteAheadLog(path, async () => ({ datasync, close: async () => {} }));
  const writer = new SqliteConnection(path);
  writer.script("pragma journal_mode = wal; create table item (name text)");
  const openReader = () => new SqliteConnection(path, "read");
  const db = new SqliteDb(
    { writer, reader: openReader(), openReader, log },
    { busyMs: 0, timers: systemTimers },
  );
  onTestFinished(async () => {
    for (const sync of syncs) sync.resolve();
    await db.close();
    rmSync(root, { recursive: true, force: true });
  });
  const ended: string[] = [];
  const put = async (name: string) => {
    await db.transaction(async (tx) => await tx.run(sql`insert into item (name) values (${name})`));
    ended.push(name);
  };
  const names = async () =>
    (await db.all(sql`select name from item order by name`, { parse: (row) => row })) as { name: string }[];
  return { db, syncs, put, ended, names };
}

test("a transaction ends after the sync that follows its commit, and shares it with others [S-62]", async () => {
  const { syncs, put, ended, names } = open();
  const first = put("a");
  await expect.poll(() => syncs.length).toBe(1);
  // These commit during the first sync, which may not cover them.
  const others = [put("b"), put("c")];
  await expect.poll(names).toHaveLength(3);
  expect([ended, syncs.length]).toEqual([[], 1]);
  syncs[0]?.resolve();
  await first;
  await expect.poll(() => syncs.length).toBe(2);
  expect(ended).toEqual(["a"]);
  syncs[1]?.resolve();
  await Promise.all(others);
  expect([ended, syncs.length]).toEqual([["a", "b", "c"], 2]);
});

test("a failed sync fails its transactions and all later ones [S-62]", async () => {
  const { syncs, put, ended, names } = open();
  const [first, second] = [put("a"), put("b")];
  await expect.poll(() => syncs.length).toBe(1);
  await expect.poll(names).toHaveLength(2);
  syncs[0]?.reject(new Error("EIO"));
  for (const each of [first, second, put("c")])
    await expect(each).rejects.toMatchObject({ code: "STORE_FAILED" });
  expect([ended, syncs.length, (await names()).length]).toEqual([[], 1, 2]);
});

test("reads do not wait for a sync [S-62]", async () => {
  const { db, syncs, put } = open();
  const first = put("a");
  await expect.poll(() => syncs.length).toBe(1);
  expect(
    await db.transaction(async (tx) => tx.all(sql`select name from item`, { parse: (row) => row })),
  ).toEqual([{ name: "a" }]);
  syncs[0]?.resolve();
  await first;
});
