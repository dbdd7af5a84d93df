import { setTimeout } from "node:timers/promises";
import { SkillError } from "@skillhold/protocol/error";
import type { Db, RowReader, Tx } from "../db.ts";
import { Mutex } from "../mutex.ts";
import { type Sql, sql } from "../sql.ts";
import { rejectNested, TxScope } from "../tx-scope.ts";
import { explainSqlite, type SqliteConnection } from "./sqlite-connection.ts";
import { isBusy } from "./sqlite-failure.ts";

export interface SqliteConnections {
  readonly writer: SqliteConnection;
  readonly reader: SqliteConnection;
}

/**
 * A file of SQLite. Writers of this process queue for one connection, and reads use another, so that they neither wait
 * nor see what is not committed. Writers of other processes are waited for with pauses, in which the process goes on.
 */
export class SqliteDb implements Db {
  readonly engine = "sqlite";
  readonly place: string;
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteConnection;
  readonly #busyMs: number;
  readonly #turn = new Mutex();
  readonly #listeners = new Set<() => void>();
  #closing: Promise<void> | undefined;

  constructor({ writer, reader }: SqliteConnections, busyMs: number) {
    this.place = writer.path;
    this.#writer = writer;
    this.#reader = reader;
    this.#busyMs = busyMs;
  }

  async all<Row>(query: Sql, row: RowReader<Row>): Promise<readonly Row[]> {
    return await this.#read((reader) => reader.all(query, row));
  }

  async hasTable(name: string): Promise<boolean> {
    const query = sql`select name from sqlite_schema where type = 'table' and name = ${name}`;
    return (await this.all(query, anyRow)).length > 0;
  }

  async version(): Promise<number> {
    // The writer is another connection than the reader: commits of our own count as well.
    return Number(await this.#read((reader) => reader.pragma("data_version")));
  }

  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    rejectNested();
    this.#rejectClosed();
    const { result, hasWritten } = await this.#turn.run(() => this.#perform(work));
    if (hasWritten) for (const listener of this.#listeners) queueMicrotask(listener);
    return result;
  }

  async listen(listener: () => void): Promise<() => Promise<void>> {
    this.#rejectClosed();
    // One of its own, so that the same function can listen twice.
    const own = () => listener();
    this.#listeners.add(own);
    return async () => void this.#listeners.delete(own);
  }

  async close(): Promise<void> {
    this.#closing ??= this.#turn.run(async () => {
      this.#listeners.clear();
      this.#reader.close();
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
      await this.#attempt(() => writer.script("commit"));
      return { result, hasWritten: scope.hasWritten };
    } catch (error) {
      writer.rollback();
      throw error;
    }
  }

  /** Nothing here waits: whoever has begun a transaction is alone. */
  #statements(): Tx {
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
      script: (text) => attempt(() => this.#writer.script(text)),
      lock: async () => {},
    };
  }

  async #read<T>(work: (reader: SqliteConnection) => T): Promise<T> {
    this.#rejectClosed();
    return await this.#attempt(() => {
      // It may have been closed between two attempts.
      this.#rejectClosed();
      return work(this.#reader);
    });
  }

  async #attempt<T>(work: () => T): Promise<T> {
    return await whileBusy(this.#writer.path, this.#busyMs, work);
  }

  #rejectClosed(): void {
    if (this.#closing === undefined) return;
    throw new SkillError("STORE_FAILED", "The registry is closed.", { hint: "Open it again to use it." });
  }
}

/** Tries again while others hold the file, with pauses of random length, until the time is over. */
export async function whileBusy<T>(path: string, busyMs: number, work: () => T): Promise<T> {
  const deadline = performance.now() + busyMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw explainSqlite(path, error);
    }
    await setTimeout(1 + Math.random() * 20);
  }
}

const anyRow: RowReader<unknown> = { parse: (row) => row };
