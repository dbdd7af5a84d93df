import { setImmediate, setTimeout } from "node:timers/promises";
import { SkillError } from "@skillhold/protocol/error";
import { diskFull, isDiskFull } from "@skillhold/registry/record";
import type { Db, Queries, RowParser, Tx } from "../db.ts";
import { type Sql, sql } from "../sql.ts";
import { type RawTx, rejectNested, TxScope } from "../tx-scope.ts";
import { PostgresConnection } from "./postgres-connection.ts";
import { PostgresPool } from "./postgres-pool.ts";

const CHANNEL = "skillhold";
const MAX_ATTEMPTS = 10;

export interface PostgresOptions {
  readonly busyMs: number;
}

/** Connects to a PostgreSQL database. No message contains the password. */
export async function openPostgres(url: string, { busyMs }: PostgresOptions): Promise<Db> {
  const db = new PostgresDb(placeOf(url), () => new PostgresConnection(url, busyMs));
  try {
    await db.hasTable("migration");
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** The location for messages. */
function placeOf(url: string): string {
  const { hostname, port, pathname, username, password } = URL.parse(url) ?? {};
  const isReadable = [username, password, pathname].every((part) => part !== undefined && isDecodable(part));
  if (isReadable) return `${hostname}${port === "" ? "" : `:${port}`}${pathname}`;
  throw new SkillError("CONFIG_INVALID", "The address of the PostgreSQL database is invalid.", {
    hint: "Use postgres://user:password@host:port/database, with special characters as %xx.",
  });
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    // An invalid percent escape.
    return false;
  }
}

/** The start of a transaction. */
interface Begin {
  readonly done: Promise<void>;
  readonly isDone: boolean;
  /** Whether the connection may have been lost before, so that another one is tried. */
  readonly isRepeatable: boolean;
}

/** Every transaction has its own connection; advisory locks end with it. */
class PostgresDb implements Db {
  readonly engine = "postgres";
  readonly place: string;
  readonly #connect: () => PostgresConnection;
  readonly #pool: PostgresPool;
  #closing: Promise<void> | undefined;

  constructor(place: string, connect: () => PostgresConnection) {
    this.place = place;
    this.#connect = connect;
    this.#pool = new PostgresPool(connect);
  }

  async all<Row>(query: Sql, row: RowParser<Row>): Promise<readonly Row[]> {
    this.#rejectClosed();
    const { connection, result } = await this.#attempt(() => this.#pool.take((each) => each.all(query, row)));
    this.#pool.release(connection);
    return result;
  }

  async hasTable(name: string): Promise<boolean> {
    const query = sql`select oid from pg_catalog.pg_class where oid = to_regclass(${name})`;
    return (await this.all(query, { parse: (row) => row })).length > 0;
  }

  async version(): Promise<undefined> {
    this.#rejectClosed();
  }

  async transaction<T>(work: (tx: Tx) => Promise<T>, onCommit?: () => void): Promise<T> {
    rejectNested();
    this.#rejectClosed();
    for (let attempt = 1; ; attempt += 1) {
      try {
        const result = await this.#perform(work);
        onCommit?.();
        return result;
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isUndecided(error)) throw error;
      }
      // A random delay, so that conflicting transactions do not collide again.
      await setTimeout(Math.random() * 10 * attempt);
    }
  }

  async snapshot<T>(work: (reader: Queries) => Promise<T>): Promise<T> {
    this.#rejectClosed();
    const begin = "begin isolation level repeatable read read only";
    const { connection } = await this.#attempt(() => this.#pool.take((each) => each.script(begin)));
    try {
      return await work({ all: (query, row) => this.#attempt(() => connection.all(query, row)) });
    } finally {
      if (!connection.isLost) await connection.script("rollback").catch(() => {});
      this.#pool.release(connection);
    }
  }

  async listen(listener: () => void): Promise<() => Promise<void>> {
    this.#rejectClosed();
    const connection = this.#connect();
    try {
      await this.#attempt(() => connection.listen(CHANNEL, listener));
    } catch (error) {
      await connection.end();
      throw error;
    }
    return () => connection.end();
  }

  async close(): Promise<void> {
    this.#closing ??= this.#pool.close();
    await this.#closing;
  }

  async #perform<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    for (;;) {
      const { connection, begin } = await this.#begin();
      const scope = new TxScope(this.#statements(connection, begin));
      try {
        const result = await scope.perform(work);
        await begin.done;
        // A statement that the driver rejects is never sent, and the server would commit the others.
        await setImmediate();
        scope.rejectFailed();
        const end = scope.hasWritten ? `notify ${CHANNEL}; commit` : "commit";
        // The commit follows the last statements without waiting for them: if one fails, the server rolls back.
        const committed = this.#attempt(() => connection.script(end));
        committed.catch(() => {});
        await scope.settled();
        await committed;
        return result;
      } catch (error) {
        // If this fails too, the connection is lost, and the server rolls back.
        if (!connection.isLost) await connection.script("rollback").catch(() => {});
        // The connection was lost while it was idle.
        else if (begin.isRepeatable && !begin.isDone) continue;
        throw error;
      } finally {
        this.#pool.release(connection);
      }
    }
  }

  /** A connection that worked before is not awaited, which saves the round trip of the begin. */
  async #begin(): Promise<{ readonly connection: PostgresConnection; readonly begin: Begin }> {
    const { connection, result: isBegun } = await this.#attempt(() =>
      this.#pool.take(async (each) => {
        if (each.hasWorked) return false;
        await each.script("begin");
        return true;
      }),
    );
    if (isBegun) return { connection, begin: { isRepeatable: false, isDone: true, done: Promise.resolve() } };
    const begin = { isRepeatable: true, isDone: false, done: Promise.resolve() };
    begin.done = this.#attempt(() => connection.script("begin")).then(() => {
      begin.isDone = true;
    });
    // The statements report the failure.
    begin.done.catch(() => {});
    return { connection, begin };
  }

  /**
   * Reads are sent with the begin. Writes wait for it, and so does each statement after one: without a transaction, the
   * server would commit each write by itself.
   */
  #statements(connection: PostgresConnection, begin: Begin): RawTx {
    let isWriting = false;
    const attempt = <T>(statement: () => Promise<T>) =>
      this.#attempt(isWriting && !begin.isDone ? () => begin.done.then(statement) : statement);
    const write = <T>(statement: () => Promise<T>) => {
      isWriting = true;
      return attempt(statement);
    };
    return {
      all: (query, row) => attempt(() => connection.all(query, row)),
      run: (query) => write(() => connection.run(query)),
      insert: (table, rows) => write(() => connection.insert(table, rows)),
      script: (text) => write(() => connection.script(text)),
      lock: async (name, use = "alone") => {
        const key = `skillhold ${name}`;
        const lock = use === "alone" ? sql`pg_advisory_xact_lock` : sql`pg_advisory_xact_lock_shared`;
        await attempt(() => connection.run(sql`select ${lock}(hashtextextended(${key}, 0))`));
      },
    };
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw explainPostgres(this.place, error);
    }
  }

  #rejectClosed(): void {
    if (this.#closing === undefined) return;
    throw new SkillError("STORE_FAILED", "The registry is closed.", { hint: "Open the registry again." });
  }
}

/** Converts a driver or server failure to a SkillError; passes SkillErrors on. */
function explainPostgres(place: string, error: unknown): SkillError {
  if (error instanceof SkillError) return error;
  const code = codeOf(error);
  const options = { details: { place, code }, cause: error };
  if (code === "23505") return new SkillError("CONFLICT", "A row with this key already exists.", options);
  if (isDiskFull(error)) return diskFull(`The disk of the registry at ${place}`, error);
  if (code === "55P03") {
    return new SkillError(
      "STORE_FAILED",
      `The registry at ${place} was locked by other processes for too long.`,
      {
        ...options,
        hint: "Find the process that holds the lock, or try again later.",
      },
    );
  }
  if (code.startsWith("28") || code === "3D000") {
    return new SkillError("STORE_FAILED", `The registry at ${place} denied access: ${messageOf(error)}.`, {
      ...options,
      hint: "Check the user, the password and the database name.",
    });
  }
  if (isSqlState(code) && !code.startsWith("08") && !code.startsWith("57P")) {
    return new SkillError("STORE_FAILED", `The registry at ${place} failed: ${messageOf(error)}.`, options);
  }
  return new SkillError("STORE_FAILED", `The registry at ${place} cannot be reached.`, {
    ...options,
    hint: "Check that PostgreSQL is running there and accepts connections.",
  });
}

/** Whether the server rolled back because of a conflict, so that the transaction can be retried. */
function isUndecided(error: unknown): boolean {
  const code = codeOf(error instanceof SkillError ? error.cause : error);
  return code === "40001" || code === "40P01";
}

/** Server codes have five characters; driver and system codes are words. */
function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
