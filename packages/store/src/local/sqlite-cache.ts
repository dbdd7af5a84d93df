import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { IndexCache } from "@skillhold/core/library";
import { openDatabase } from "../engine/sqlite/node-sqlite.ts";
import { isDamaged } from "../engine/sqlite/sqlite-failure.ts";

/** Changes with the table; a file of another version is cleared. */
const VERSION = 1;
const BUSY_MS = 200;

/**
 * The index cache in an SQLite file. It never throws: a damaged file is recreated, and an unavailable one is
 * skipped.
 */
export class SqliteCache implements IndexCache {
  readonly #database: DatabaseSync | undefined;

  /** `:memory:`, or a file whose folder is created if missing. */
  constructor(path: string) {
    this.#database = openOrReplace(path);
  }

  load(key: string): Uint8Array | undefined {
    try {
      const row = this.#database?.prepare("select bytes from cache where key = ?").get(key);
      return row?.["bytes"] instanceof Uint8Array ? row["bytes"] : undefined;
    } catch {
      // Busy or damaged; the value is computed again.
      return undefined;
    }
  }

  save(key: string, bytes: Uint8Array): void {
    try {
      const sql =
        "insert into cache (key, bytes) values (?, ?) on conflict (key) do update set bytes = excluded.bytes";
      this.#database?.prepare(sql).run(key, bytes);
    } catch {
      // Busy, full or read-only; only the next start is slower.
    }
  }

  close(): void {
    this.#database?.close();
  }
}

function openOrReplace(path: string): DatabaseSync | undefined {
  try {
    if (path !== ":memory:") mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return open(path);
  } catch (error) {
    // A damaged cache may be deleted, but not one that is in use.
    return isDamaged(error) ? replace(path) : undefined;
  }
}

function replace(path: string): DatabaseSync | undefined {
  try {
    for (const ending of ["", "-wal", "-shm"]) rmSync(path + ending, { force: true });
    return open(path);
  } catch {
    // Not writable; the library works without a cache.
    return undefined;
  }
}

function open(path: string): DatabaseSync {
  const database = openDatabase(path);
  try {
    // A crash may lose cache entries, so durability is off.
    database.exec(`pragma busy_timeout = ${BUSY_MS}; pragma journal_mode = wal; pragma synchronous = off`);
    const row = database.prepare("pragma user_version").get();
    if (row?.["user_version"] !== VERSION) {
      database.exec(
        "drop table if exists cache; create table cache (key text primary key, bytes blob not null)",
      );
      database.exec(`pragma user_version = ${VERSION}`);
    }
    database.prepare("select count(*) from cache").get();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
