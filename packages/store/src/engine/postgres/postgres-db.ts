import { setTimeout } from "node:timers/promises";
import { SkillError } from "@skillhold/protocol/error";
import type { Db, RowReader, Tx } from "../db.ts";
import { type Sql, sql } from "../sql.ts";
import { rejectNested, TxScope } from "../tx-scope.ts";
import { PostgresConnection } from "./postgres-connection.ts";
import { explainPostgres, isUndecided } from "./postgres-failure.ts";
import { PostgresPool } from "./postgres-pool.ts";

const CHANNEL = "skillhold";
const MAX_ATTEMPTS = 10;

export interface PostgresOptions {
  readonly busyMs: number;
}

/** Connects to a database of PostgreSQL. No message of it has the password. */
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

/** Where it is, for messages. */
function placeOf(url: string): string {
  const { hostname, port, pathname, username, password } = URL.parse(url) ?? {};
  const isReadable = [username, password, pathname].every((part) => part !== undefined && isDecodable(part));
  if (isReadable) return `${hostname}${port === "" ? "" : `:${port}`}${pathname}`;
  throw new SkillError("CONFIG_INVALID", "The address of the PostgreSQL database cannot be read.", {
    hint: "Write postgres://user:password@host:port/database, with special characters as %xx.",
  });
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    // A percent sign that is not followed by two digits.
    return false;
  }
}

/** Every transaction has a connection of its own; locks are advisory ones and end with it. */
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

  async all<Row>(query: Sql, row: RowReader<Row>): Promise<readonly Row[]> {
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

  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    rejectNested();
    this.#rejectClosed();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#perform(work);
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isUndecided(error)) throw error;
      }
      // At random, so that those who are in each other's way do not meet again.
      await setTimeout(Math.random() * 10 * attempt);
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
    const { connection } = await this.#attempt(() => this.#pool.take((each) => each.script("begin")));
    const scope = new TxScope(this.#statements(connection));
    try {
      const result = await scope.perform(work);
      const end = scope.hasWritten ? `notify ${CHANNEL}; commit` : "commit";
      await this.#attempt(() => connection.script(end));
      return result;
    } catch (error) {
      // When even this fails, the connection is lost, and the server does it.
      if (!connection.isLost) await connection.script("rollback").catch(() => {});
      throw error;
    } finally {
      this.#pool.release(connection);
    }
  }

  #statements(connection: PostgresConnection): Tx {
    return {
      all: (query, row) => this.#attempt(() => connection.all(query, row)),
      run: (query) => this.#attempt(() => connection.run(query)),
      script: (text) => this.#attempt(() => connection.script(text)),
      lock: async (name, use = "alone") => {
        const key = `skillhold ${name}`;
        const lock = use === "alone" ? sql`pg_advisory_xact_lock` : sql`pg_advisory_xact_lock_shared`;
        await this.#attempt(() => connection.run(sql`select ${lock}(hashtextextended(${key}, 0))`));
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
    throw new SkillError("STORE_FAILED", "The registry is closed.", { hint: "Open it again to use it." });
  }
}
