import { constants } from "node:fs";
import { openPrivateFile } from "@skillhold/core/secret";
import { openDatabase } from "../engine/sqlite/node-sqlite.ts";
import { checksumOf, migrations } from "./migration-table.ts";

/** Readers of a write-ahead log rarely wait. */
const BUSY_MS = 20;

/**
 * Whether a registry file has no skills and no toggles of folder skills, as one that only keeps a log. False for any file
 * that is not a current registry of this user: opening it upgrades it, or reports why it cannot.
 */
export async function lacksSkills(path: string): Promise<boolean> {
  try {
    const handle = await openPrivateFile(path, constants.O_RDWR, { title: "The registry file" });
    await handle.close();
    return hasEmptyTables(path);
  } catch {
    // Missing, private to another user, damaged or busy.
    return false;
  }
}

/** Without the row schemas, which take longer to load than the tables to read. */
function hasEmptyTables(path: string): boolean {
  const database = openDatabase(path, { timeout: BUSY_MS });
  try {
    database.exec("pragma query_only = on; pragma cell_size_check = on");
    const done = database.prepare("select id, checksum from migration order by id").all();
    const isCurrent =
      done.length === migrations.length &&
      migrations.every((step, index) => {
        const row = done[index];
        return row?.["id"] === index + 1 && row["checksum"] === checksumOf(step);
      });
    if (!isCurrent) return false;
    const used = "select exists (select 1 from skill) or exists (select 1 from folder_toggle) as is_used";
    return database.prepare(used).get()?.["is_used"] === 0;
  } finally {
    database.close();
  }
}
