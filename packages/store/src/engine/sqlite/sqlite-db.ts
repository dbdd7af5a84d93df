import { constants } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { SerialQueue } from "@skillhold/core/async";
import { pause, systemTimers, type Timers } from "@skillhold/core/port";
import { openPrivateFile, syncFolder } from "@skillhold/core/secret";
import { SkillError } from "@skillhold/protocol/error";
import type { Db, Queries, RowParser, Tx } from "../db.ts";
import { noRegistry } from "../no-registry.ts";
import { type Sql, sql } from "../sql.ts";
import { type RawTx, rejectNested, TxScope } from "../tx-scope.ts";
import { explainSqlite, type SqliteAccess, SqliteConnection } from "./sqlite-connection.ts";
import { isBusy, isUnwritable } from "./sqlite-failure.ts";
import { WriteAheadLog } from "./write-ahead-log.ts";

export interface SqliteConnections {
  readonly writer: SqliteConnection;
  readonly reader: SqliteConnection;
  /** Opens another connection like `reader`. */
  readonly openReader: () => SqliteConnection;
  readonly log: WriteAheadLog;
}

/**
 * An SQLite file. Writers of this process queue for one connection. Reads use another, so that they neither
 * wait nor see uncommitted changes. Writers of other processes are awaited without blocking the event loop.
 */
export class SqliteDb implements Db {
  readonly engine = "sqlite";
  readonly place: string;
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteConnection;
  readonly #openReader: () => SqliteConnection;
  readonly #log: WriteAheadLog;
  readonly #patience: Patience;
  readonly #queue = new SerialQueue();
  readonly #listeners = new Set<() => void>();
  #closing: Promise<void> | undefined;

  constructor({ writer, reader, openReader, log }: SqliteConnections, patience: Patience) {
    this.place = writer.path;
    this.#writer = writer;
    this.#reader = reader;
    this.#openReader = openReader;
    this.#log = log;
    this.#patience = patience;
  }

  async all<Row>(query: Sql, row: RowParser<Row>): Promise<readonly Row[]> {
    return await this.#read((reader) => reader.all(query, row));
  }

  async hasTable(name: string): Promise<boolean> {
    const query = sql`select name from sqlite_schema where type = 'table' and name = ${name}`;
    return (await this.all(query, anyRow)).length > 0;
  }

  async version(): Promise<number> {
    // Read on a connection other than the writer's, so that our own commits count too.
    return Number(await this.#read((reader) => reader.pragma("data_version")));
  }

  async transaction<T>(work: (tx: Tx) => Promise<T>, onCommit?: () => void): Promise<T> {
    rejectNested();
    this.#rejectClosed();
    const { result, hasWritten } = await this.#queue.run(async () => {
      this.#log.rejectFailed();
      const performed = await this.#perform(work);
      onCommit?.();
      return performed;
    });
    // The next transaction runs meanwhile, and shares the sync after this one.
    if (hasWritten) await this.#log.sync();
    if (hasWritten) for (const listener of this.#listeners) queueMicrotask(listener);
    return result;
  }

  async snapshot<T>(work: (reader: Queries) => Promise<T>): Promise<T> {
    this.#rejectClosed();
    const reader = await this.#attempt(this.#openReader);
    try {
      // The write-ahead log keeps this state until the transaction ends.
      await this.#attempt(() => reader.script("begin"));
      return await work({ all: (query, row) => this.#attempt(() => reader.all(query, row)) });
    } finally {
      reader.rollback();
      reader.close();
    }
  }

  async listen(listener: () => void): Promise<() => Promise<void>> {
    this.#rejectClosed();
    // A new function, so that the same listener can be added twice.
    const own = () => listener();
    this.#listeners.add(own);
    return async () => void this.#listeners.delete(own);
  }

  async close(): Promise<void> {
    this.#closing ??= this.#queue.run(async () => {
      this.#listeners.clear();
      this.#reader.close();
      await this.#log.close();
      this.#writer.close();
    });
    await this.#closing;
  }

  async #perform<T>(work: (tx: Tx) => Promise<T>): Promise<{ result: T; hasWritten: boolean }> {
    const writer = this.#writer;
    const scope = new TxScope(this.#statements());
    await this.#attempt(() => writer.script("begin immediate"));
    try {
      const result = await scope.perform(work);
      await scope.settled();
      await this.#attempt(() => writer.script("commit"));
      return { result, hasWritten: scope.hasWritten };
    } catch (error) {
      writer.rollback();
      throw error;
    }
  }

  /** Locks are not needed, because a transaction is the only writer. */
  #statements(): RawTx {
    const attempt = async <T>(statement: () => T) => {
      try {
        return statement();
      } catch (error) {
        throw explainSqlite(this.#writer.path, error);
      }
    };
    return {
      all: (query, row) => attempt(() => this.#writer.all(query, row)),
      run: (query) => attempt(() => this.#writer.run(query)),
      insert: (table, rows) => attempt(() => this.#writer.insert(table, rows)),
      script: (text) => attempt(() => this.#writer.script(text)),
      lock: async () => {},
    };
  }

  async #read<T>(work: (reader: SqliteConnection) => T): Promise<T> {
    this.#rejectClosed();
    return await this.#attempt(() => {
      // The database may have been closed between two attempts.
      this.#rejectClosed();
      return work(this.#reader);
    });
  }

  async #attempt<T>(work: () => T): Promise<T> {
    return await whileBusy(this.#writer.path, this.#patience, work);
  }

  #rejectClosed(): void {
    if (this.#closing === undefined) return;
    throw new SkillError("STORE_FAILED", "The registry is closed.", { hint: "Open the registry again." });
  }
}

/** How long to wait for locks, and by which time. */
interface Patience {
  readonly busyMs: number;
  readonly timers: Timers;
}

/** Retries while others hold the lock, with random delays, until the time is up. */
async function whileBusy<T>(path: string, { busyMs, timers }: Patience, work: () => T): Promise<T> {
  const deadline = timers.now() + busyMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || timers.now() >= deadline) throw explainSqlite(path, error);
    }
    await pause(1 + Math.random() * 20, timers);
  }
}

const anyRow: RowParser<unknown> = { parse: (row) => row };

/** `skil` in ASCII. Distinguishes a registry from databases of other programs. */
const APPLICATION_ID = 0x736b696c;
const TITLE = { title: "The registry file" };

interface SqliteFileOptions {
  /** Whether to create a missing file. */
  readonly create: boolean;
  readonly busyMs: number;
  readonly timers?: Timers;
}

/**
 * Opens the file of a registry. Rejects and keeps a damaged file or one of another program. Only the
 * beginning is checked, because a full check of a large file takes seconds. With `create: false`, a read-only
 * file can be opened for reading.
 */
export async function openSqliteFile(
  path: string,
  { create, busyMs, timers = systemTimers }: SqliteFileOptions,
): Promise<SqliteDb> {
  const patience = { busyMs, timers };
  if (!create && (await sizeOf(path)) === 0) throw noRegistry(path);
  try {
    await makePrivate(path, create);
    return await connectBoth(path, patience, "write");
  } catch (error) {
    if (create || !isReadOnly(error)) throw error;
    return await openReadOnly(path, patience);
  }
}

/** 0 for a missing file. */
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

async function openReadOnly(path: string, patience: Patience): Promise<SqliteDb> {
  const handle = await openPrivateFile(path, constants.O_RDONLY, TITLE);
  await handle.close();
  try {
    return await connectBoth(path, patience, "read");
  } catch (error) {
    // Reading without the write-ahead log would miss its changes.
    if (!isReadOnly(error) || (await sizeOf(`${path}-wal`)) > 0) throw error;
    return await connectBoth(path, patience, "unchanging");
  }
}

async function connectBoth(path: string, patience: Patience, access: SqliteAccess): Promise<SqliteDb> {
  const prepare = access === "write" ? prepareWriter : rejectStranger;
  const writer = await whileBusy(path, patience, () => connect(path, access, prepare));
  try {
    const openReader = () => connect(path, access, prepareReader);
    const reader = await whileBusy(path, patience, openReader);
    return new SqliteDb({ writer, reader, openReader, log: new WriteAheadLog(path) }, patience);
  } catch (error) {
    writer.close();
    throw error;
  }
}

/** SQLite would create the file with the umask; its companion files copy the mode of this one. */
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
  // A commit does not wait for the disk: each transaction syncs the write-ahead log afterward, beside the event loop.
  connection.script("pragma synchronous = normal; pragma foreign_keys = on; pragma cell_size_check = on");
  if (connection.pragma("application_id") === APPLICATION_ID) return;
  connection.script("begin immediate");
  // Another program may have started to use the file meanwhile.
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
  throw new SkillError("CONFIG_INVALID", `The file ${path} is a database of another program.`, {
    hint: "Choose another file for the registry.",
    details: { path },
  });
}
