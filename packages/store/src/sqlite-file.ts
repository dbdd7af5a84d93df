import { constants } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { openPrivateFile, syncFolder } from "@skillhold/core";
import { SkillError } from "@skillhold/protocol/error";
import { sql } from "./sql.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { SqliteDb, whileBusy } from "./sqlite-db.ts";

/** `skil` in ASCII: tells a registry from the databases of other programs. */
const APPLICATION_ID = 0x736b696c;

export interface SqliteFileOptions {
  /** Whether it is made when it is not there. */
  readonly create: boolean;
  readonly busyMs: number;
}

/**
 * Opens the file of a registry. What is damaged or belongs to another program is left as it is and refused. Not all of
 * it is looked at, which takes seconds with a large one: damage further in shows when it is read.
 */
export async function openSqliteFile(path: string, { create, busyMs }: SqliteFileOptions): Promise<SqliteDb> {
  if (!create && !(await isThere(path))) throw missing(path);
  await makePrivate(path);
  const writer = await whileBusy(path, busyMs, () => connect(path, prepareWriter));
  try {
    const reader = await whileBusy(path, busyMs, () => connect(path, prepareReader));
    return new SqliteDb({ writer, reader }, busyMs);
  } catch (error) {
    writer.close();
    throw error;
  }
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

/** SQLite would make the file as the umask has it; the files beside it get the mode of this one. */
async function makePrivate(path: string): Promise<void> {
  const handle = await openPrivateFile(path, constants.O_RDWR | constants.O_CREAT, {
    title: "The registry file",
  });
  try {
    if ((await handle.stat()).size === 0) await syncFolder(dirname(path));
  } finally {
    await handle.close();
  }
}

function connect(path: string, prepare: (connection: SqliteConnection) => void): SqliteConnection {
  const connection = new SqliteConnection(path);
  try {
    prepare(connection);
    return connection;
  } catch (error) {
    connection.rollback();
    connection.close();
    throw error;
  }
}

function prepareWriter(connection: SqliteConnection): void {
  rejectStranger(connection);
  connection.script("pragma journal_mode = wal");
  // What is acknowledged outlasts a loss of power.
  connection.script("pragma synchronous = full; pragma foreign_keys = on; pragma cell_size_check = on");
  if (connection.pragma("application_id") === APPLICATION_ID) return;
  connection.script("begin immediate");
  // Another program may have begun to use the file meanwhile.
  rejectStranger(connection);
  connection.script(`pragma application_id = ${APPLICATION_ID}; commit`);
}

function prepareReader(connection: SqliteConnection): void {
  connection.script("pragma query_only = on; pragma cell_size_check = on");
  connection.pragma("data_version");
}

function rejectStranger(connection: SqliteConnection): void {
  if (connection.pragma("application_id") === APPLICATION_ID) return;
  const tables = connection.all(sql`select name from sqlite_schema limit 1`, { parse: (row) => row });
  if (tables.length === 0 && connection.pragma("application_id") === 0) return;
  const { path } = connection;
  throw new SkillError("CONFIG_INVALID", `The file ${path} is a database of something else.`, {
    hint: "Name another file for the registry.",
    details: { path },
  });
}

function missing(path: string): SkillError {
  return new SkillError("STORE_FAILED", `There is no registry in ${path}.`, {
    hint: "Publish a skill to make it, or name the file of another registry.",
    details: { path },
  });
}
