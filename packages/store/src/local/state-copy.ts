import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { openDatabase } from "../engine/sqlite/node-sqlite.ts";

/** A consistent copy of an SQLite file that other processes may be writing to. */
export async function copyDatabase(path: string): Promise<Uint8Array> {
  const copy = `${path}.${randomUUID()}.copy`;
  const database = openDatabase(path, { timeout: 5000 });
  try {
    database.prepare("vacuum into ?").run(copy);
    return await readFile(copy);
  } finally {
    database.close();
    await rm(copy, { force: true });
  }
}
