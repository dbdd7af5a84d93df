import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { freshDatabase } from "../../../../tests/postgres-database.ts";
import type { Db, Tx } from "../engine/db.ts";
import { isNoRegistry } from "../engine/no-registry.ts";
import { openPostgres } from "../engine/postgres/postgres-db.ts";
import { sql } from "../engine/sql.ts";
import { openSqliteFile } from "../engine/sqlite/sqlite-db.ts";
import { migrate } from "./migration.ts";

const root = mkdtempSync(join(tmpdir(), "skillhold-migration-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;

const engines: readonly { readonly engine: string; readonly open: () => Promise<Db> }[] = [
  {
    engine: "SQLite",
    open: () => {
      count += 1;
      return openSqliteFile(join(root, `${count}.db`), { create: true, busyMs: 30_000 });
    },
  },
  { engine: "PostgreSQL", open: async () => await openPostgres(await freshDatabase(), { busyMs: 30_000 }) },
];

const clock = { now: () => new Date(0) };
const first = {
  name: "first",
  script: "create table one (name {text} not null primary key, bytes {bytes}) {strict}",
};
const second = {
  name: "second",
  script: "create table two (count {int} not null) {strict}; insert into two values (1)",
};
const refused = { code: "CONFIG_INVALID" };

describe.each(engines)("migrations on $engine", ({ open }) => {
  let db: Db;
  beforeEach(async () => {
    db = await open();
    return () => db.close();
  });
  const listDone = () =>
    db.all(
      sql`select id, name, at from migration order by id`,
      z.object({ id: z.int(), name: z.string(), at: z.string() }),
    );

  test("runs and records each step once, in order [S-64]", async () => {
    await migrate(db, clock, [first]);
    expect([await db.hasTable("one"), await db.hasTable("two")]).toEqual([true, false]);
    await migrate(db, clock, [first, second]);
    await migrate(db, clock, [first, second]);
    const at = "1970-01-01T00:00:00.000Z";
    expect(await listDone()).toEqual([
      { id: 1, name: "first", at },
      { id: 2, name: "second", at },
    ]);
    expect(await db.all(sql`select count from two`, z.object({ count: z.int() }))).toEqual([{ count: 1 }]);
  });

  test("a failed step rolls back all steps [S-64]", async () => {
    const broken = { name: "broken", script: "create table three (a {int}); insert into nowhere values (1)" };
    await expect(migrate(db, clock, [first, broken])).rejects.toMatchObject({ code: "STORE_FAILED" });
    for (const table of ["one", "three", "migration"]) expect(await db.hasTable(table)).toBe(false);
    await migrate(db, clock, [first, second]);
    expect(await db.hasTable("two")).toBe(true);
  });

  test("the row changes of a step run once, after its script and in the same transaction [S-64]", async () => {
    const fill = async (tx: Tx) => void (await tx.run(sql`update two set count = count + 1`));
    const refuse = async () => Promise.reject(new Error("no"));
    await expect(migrate(db, clock, [{ ...second, fill: refuse }])).rejects.toThrow("no");
    expect(await db.hasTable("two")).toBe(false);
    for (let count = 0; count < 2; count += 1) await migrate(db, clock, [{ ...second, fill }]);
    expect(await db.all(sql`select count from two`, z.object({ count: z.int() }))).toEqual([{ count: 2 }]);
  });

  test("rejects and keeps a database of a newer version [S-64]", async () => {
    await migrate(db, clock, [first, second]);
    await expect(migrate(db, clock, [first])).rejects.toMatchObject({ ...refused, details: { version: 2 } });
    expect(await listDone()).toHaveLength(2);
  });

  test("rejects an unknown step [S-64]", async () => {
    await migrate(db, clock, [first]);
    const other = { ...first, script: `${first.script} ` };
    await expect(migrate(db, clock, [other])).rejects.toMatchObject(refused);
    await expect(migrate(db, clock, [other, second])).rejects.toMatchObject(refused);
    expect(await db.hasTable("two")).toBe(false);
  });

  test("does not create a registry without permission [S-64]", async () => {
    const looking = migrate(db, clock, [first], { create: false, upgrade: true });
    await expect(looking).rejects.toSatisfy(isNoRegistry);
    for (const table of ["one", "migration"]) expect(await db.hasTable(table)).toBe(false);
    await migrate(db, clock, [first]);
    await migrate(db, clock, [first], { create: false, upgrade: false });
  });

  test("does not upgrade a registry without permission [S-64]", async () => {
    await migrate(db, clock, [first]);
    const looking = migrate(db, clock, [first, second], { create: true, upgrade: false });
    await expect(looking).rejects.toMatchObject({ ...refused, details: { version: 1 } });
    expect([await db.hasTable("two"), await listDone()]).toMatchObject([false, [{ name: "first" }]]);
    await migrate(db, clock, [first, second], { create: false, upgrade: true });
    expect(await db.hasTable("two")).toBe(true);
  });

  test.each([
    ["one", "create table one (other {text})"],
    ["migration", "create table migration (id {int} not null, version {text})"],
    [
      "migration",
      "create table migration (id {text}, name {text}, checksum {text}); insert into migration values ('x', '', '')",
    ],
  ])("rejects a table %s of another program without changes [S-64]", async (table, script) => {
    await db.transaction((tx) => tx.script(script));
    for (const create of [true, false]) {
      const work = migrate(db, clock, [second, first], { create, upgrade: true });
      await expect(work).rejects.toMatchObject({ ...refused, details: { table } });
    }
    expect(await db.hasTable("two")).toBe(false);
  });

  test("column types keep their values and compare text by bytes [S-64]", async () => {
    await migrate(db, clock, [first, second]);
    await db.transaction(async (tx) => {
      for (const name of ["b", "B", "a b", "a", "ab", "a-b", "ä", "Z"]) {
        expect(
          await tx.run(sql`insert into one (name, bytes) values (${name}, ${Uint8Array.of(0, 255)})`),
        ).toBe(1);
      }
      await tx.run(sql`insert into two values (${Number.MAX_SAFE_INTEGER})`);
    });
    const Row = z.object({ name: z.string(), bytes: z.instanceof(Uint8Array) });
    const rows = await db.all(sql`select name, bytes from one order by name`, Row);
    expect(rows.map(({ name }) => name)).toEqual(["B", "Z", "a", "a b", "a-b", "ab", "b", "ä"]);
    expect([...(rows[0]?.bytes ?? [])]).toEqual([0, 255]);
    const most = await db.all(sql`select max(count) as most from two`, z.object({ most: z.int() }));
    expect(most).toEqual([{ most: Number.MAX_SAFE_INTEGER }]);
  });
});
