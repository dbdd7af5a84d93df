import { constants } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { openPrivateFile, syncFolder } from "@skillhold/core/secret";
import { SkillError } from "@skillhold/protocol/error";
import { noRegistry } from "../../table/no-registry.ts";
import { sql } from "../sql.ts";
import { type SqliteAccess, SqliteConnection } from "./sqlite-connection.ts";
import { SqliteDb, whileBusy } from "./sqlite-db.ts";
import { isUnwritable } from "./sqlite-failure.ts";

/** `skil` in ASCII: tells a registry from the databases of other programs. */
const APPLICATION_ID = 0x736b696c;
const TITLE = { title: "The registry file" };

export interface SqliteFileOptions {
  /** Whether it is made when it is not there. */
  readonly create: boolean;
  readonly busyMs: number;
}

/**
 * Opens the file of a registry. What is damaged or belongs to another program is left as it is and refused. Not all of
 * it is looked at, which takes seconds with a large one: damage further in shows when it is read. One that is not to
 * be made and cannot be written can be read.
 */
export async function openSqliteFile(path: string, { create, busyMs }: SqliteFileOptions): Promise<SqliteDb> {
  if (!create && (await sizeOf(path)) === 0) throw noRegistry(path);
  try {
    await makePrivate(path, create);
    return await connectBoth(path, busyMs, "write");
  } catch (error) {
    if (create || !isReadOnly(error)) throw error;
    return await openReadOnly(path, busyMs);
  }
}

/** 0 as well when nothing is there. */
async function sizeOf(path: string): Promise<number> {
  return await stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

function isReadOnly(error: unknown): boolean {
  if (!(error instanceof SkillError)) return false;
  const { cause } = error;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return code === "EROFS" || code === "EACCES" || code === "EPERM" || isUnwritable(cause);
}

async function openReadOnly(path: string, busyMs: number): Promise<SqliteDb> {
  const handle = await openPrivateFile(path, constants.O_RDONLY, TITLE);
  await handle.close();
  try {
    return await connectBoth(path, busyMs, "read");
  } catch (error) {
    // What is not yet in the file itself would be overlooked.
    if (!isReadOnly(error) || (await sizeOf(`${path}-wal`)) > 0) throw error;
    return await connectBoth(path, busyMs, "unchanging");
  }
}

async function connectBoth(path: string, busyMs: number, access: SqliteAccess): Promise<SqliteDb> {
  const prepare = access === "write" ? prepareWriter : rejectStranger;
  const writer = await whileBusy(path, busyMs, () => connect(path, access, prepare));
  try {
    const reader = await whileBusy(path, busyMs, () => connect(path, access, prepareReader));
    return new SqliteDb({ writer, reader }, busyMs);
  } catch (error) {
    writer.close();
    throw error;
  }
}

/** SQLite would make the file as the umask has it; the files beside it get the mode of this one. */
async function makePrivate(path: string, create: boolean): Promise<void> {
  const flags = constants.O_RDWR | (create ? constants.O_CREAT : 0);
  const handle = await openPrivateFile(path, flags, TITLE);
  try {
    if ((await handle.stat()).size === 0) await syncFolder(dirname(path));
  } finally {
    await handle.close();
  }
}

function connect(
  path: string,
  access: SqliteAccess,
  prepare: (connection: SqliteConnection) => void,
): SqliteConnection {
  const connection = new SqliteConnection(path, access);
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
