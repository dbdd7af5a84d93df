import type { Db } from "../engine/db.ts";
import { openPostgres } from "../engine/postgres/postgres-db.ts";
import { openSqliteFile } from "../engine/sqlite/sqlite-db.ts";

/** Opens the database of a registry directly, as an attacker with write access could. */
export async function withDb<T>(url: string, use: (db: Db) => Promise<T>): Promise<T> {
  const path = /^sqlite:(.*)$/.exec(url)?.[1];
  const options = { create: true, busyMs: 30_000 };
  const db = path === undefined ? await openPostgres(url, options) : await openSqliteFile(path, options);
  try {
    return await use(db);
  } finally {
    await db.close();
  }
}

export async function execute(url: string, script: string): Promise<void> {
  await withDb(url, (db) => db.transaction((tx) => tx.script(script)));
}
