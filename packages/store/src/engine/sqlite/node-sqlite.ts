import type { DatabaseSync, DatabaseSyncOptions } from "node:sqlite";

/**
 * Loads Node's SQLite on use: a static import would fail on an older Node before any code could report the version.
 */
export function openDatabase(path: string | URL, options: DatabaseSyncOptions = {}): DatabaseSync {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  return new DatabaseSync(path, options);
}
