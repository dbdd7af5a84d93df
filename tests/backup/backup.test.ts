import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync, gzipSync } from "node:zlib";
import { verifyAudit } from "@skillhold/registry/audit";
import { fsck } from "@skillhold/registry/fsck";
import { readRevisionFile } from "@skillhold/registry/release";
import { openRegistryStore } from "@skillhold/store";
import { backupRegistry, checkBackupFile, restoreRegistry } from "@skillhold/store/backup";
import { listTables } from "@skillhold/store/test/table/table-schema";
import postgres from "postgres";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freshDatabase } from "../postgres-database.ts";
import { type Engine, engines, openScene, type Scene } from "../registry/scene.ts";

const clock = { now: () => new Date() };
const noFiles = async () => {};
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skillhold-backup-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const emptyStore = async (engine: Engine) =>
  engine === "sqlite" ? `sqlite:${join(folder, "restored.db")}` : await freshDatabase();

describe.each(engines)("a backup of %s", (engine) => {
  let scene: Scene;
  let file: string;
  beforeEach(async () => {
    scene = await openScene(engine);
    file = join(folder, "backup.tar.gz");
  });
  afterEach(async () => await scene.close());
  const create = () => backupRegistry(scene.url, file, [], clock);

  test.each(engines)(
    "restores byte for byte to %s, and the store and the log verify [S-71]",
    async (target) => {
      await scene.publish("one", { "a.bin": Uint8Array.of(0, 255, 10), "run.sh*": "echo 1" });
      await scene.publish("one", { "a.bin": "2" });
      await scene.publish("two", { "deep/er/ü.txt": "text" });
      await create();
      await scene.publish("three");
      const url = await emptyStore(target);
      await restoreRegistry(url, file, noFiles, clock);

      const store = await openRegistryStore(url, { create: false });
      try {
        const context = { ...scene.context, store };
        expect(await fsck({}, context)).toMatchObject({
          isClean: true,
          checked: { skills: 2, revisions: 3 },
        });
        expect(await verifyAudit(store, { keys: [] })).toMatchObject({ isSound: true });
        expect(await readRevisionFile("one", 1, "a.bin", {}, context)).toEqual(
          await readRevisionFile("one", 1, "a.bin", {}, scene.context),
        );
        const events = (await scene.events()).filter(
          (event) => !("skill" in event) || event.skill !== "three",
        );
        expect((await store.eventsAfter(0, 1000)).map(({ event }) => event)).toEqual(events);
      } finally {
        await store.close();
      }
    },
  );

  test("of a pruned log restores it, and the log verifies [S-71]", async () => {
    const { store: source } = scene.context;
    await scene.publish("one");
    const at = "2020-01-01T00:00:00.000Z";
    await source.transaction((tx) => tx.append({ type: "session.closed", at, session: "s" }));
    const after = (await source.lastEvent()) - 1;
    const step = { after, before: "2021-01-01T00:00:00.000Z", at: new Date().toISOString() };
    const by = { user: "ann", role: "admin" } as const;
    await source.transaction((tx) => tx.pruneLog({ ...step, by }));
    const pruned = await source.lastPruned();
    await create();
    const url = await emptyStore(engine);
    await restoreRegistry(url, file, noFiles, clock);
    const store = await openRegistryStore(url, { create: false });
    try {
      expect([pruned > 0, await store.lastPruned()]).toEqual([true, pruned]);
      expect(await verifyAudit(store, { keys: [] })).toMatchObject({ isSound: true });
      expect(await fsck({}, { ...scene.context, store })).toMatchObject({ isClean: true });
    } finally {
      await store.close();
    }
  });

  test("contains one consistent state while others publish [S-71]", async () => {
    await scene.publish("start");
    const isDone = { value: false };
    const publishing = (async () => {
      for (let number = 0; !isDone.value && number < 200; number += 1) await scene.publish(`more-${number}`);
    })();
    await create();
    isDone.value = true;
    await publishing;
    const url = await emptyStore(engine);
    await restoreRegistry(url, file, noFiles, clock);
    const store = await openRegistryStore(url, { create: false });
    try {
      expect(await fsck({}, { ...scene.context, store })).toMatchObject({ isClean: true });
      expect(await verifyAudit(store, { keys: [] })).toMatchObject({ isSound: true });
    } finally {
      await store.close();
    }
  });

  test("is not restored over a store that is in use [S-71]", async () => {
    await scene.publish("one");
    await create();
    const restored = restoreRegistry(scene.url, file, noFiles, clock);
    await expect(restored).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await fsck({}, scene.context)).toMatchObject({ isClean: true, checked: { skills: 1 } });
  });

  test("the tables are the ones that the database has [S-71]", async () => {
    const columns = await columnsOf(scene.url);
    const known = listTables().map(({ name, columns }) => [name, columns.toSorted()]);
    expect(Object.fromEntries(known)).toEqual(columns);
    for (const { name, key } of listTables()) expect(key, name).not.toEqual([]);
  });
});

describe("a damaged backup", () => {
  let scene: Scene;
  let file: string;
  beforeEach(async () => {
    scene = await openScene("sqlite");
    await scene.publish("one", { "a.txt": "the text of a file" });
    file = join(folder, "backup.tar.gz");
    await backupRegistry(scene.url, file, [], clock);
  });
  afterEach(async () => await scene.close());

  test("is private, complete, and verifies [S-71]", async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await checkBackupFile(file)).toMatchObject({
      manifest: { format: "skillhold-backup", engine: "sqlite" },
      summary: { blobs: 2 },
    });
    expect(existsSync(`${file}.partial`)).toBe(false);
  });

  test("is rejected wherever it is cut, and the store stays empty [S-71]", async () => {
    const { size } = statSync(file);
    for (const part of [0, 1, 0.25, 0.5, 0.75, 0.99]) {
      const cut = join(folder, `cut-${part}.tar.gz`);
      cpSync(file, cut);
      truncateSync(cut, part === 1 ? size - 1 : Math.floor(size * part));
      const url = `sqlite:${join(folder, `cut-${part}.db`)}`;
      const restored = restoreRegistry(url, cut, noFiles, clock);
      await expect(restored, String(part)).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
    }
  });

  test("is rejected when a byte of a file changed [S-71]", async () => {
    const bytes = gunzipSync(readFileSync(file));
    const at = bytes.indexOf("the text of a file");
    expect(at).toBeGreaterThan(0);
    bytes[at] = 84;
    writeFileSync(file, gzipSync(bytes));
    await expect(checkBackupFile(file)).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
  });
});

/** The columns of every table, by the engine's own catalog. */
async function columnsOf(url: string): Promise<Record<string, string[]>> {
  const rows = url.startsWith("sqlite:")
    ? sqliteColumns(url.slice("sqlite:".length))
    : await postgresColumns(url);
  const names = [...new Set(rows.map(({ name }) => name))].filter((name) => name !== "migration");
  return Object.fromEntries(
    names.map((table) => [table, rows.flatMap(({ name, column }) => (name === table ? column : [])).sort()]),
  );
}

interface ColumnRow {
  readonly name: string;
  readonly column: string;
}

function sqliteColumns(path: string): readonly ColumnRow[] {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = db
      .prepare(
        `select m.name as name, c.name as "column" from sqlite_schema m, pragma_table_info(m.name) c where m.type = 'table'`,
      )
      .all();
    return rows.map(({ name, column }) => ({ name: String(name), column: String(column) }));
  } finally {
    db.close();
  }
}

async function postgresColumns(url: string): Promise<readonly ColumnRow[]> {
  const client = postgres(url, { max: 1 });
  try {
    return await client<ColumnRow[]>`select table_name as name, column_name as "column"
      from information_schema.columns where table_schema = 'public'`;
  } finally {
    await client.end();
  }
}
