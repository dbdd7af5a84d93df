import postgres from "postgres";
import { type RowParser, readRows, type TypeNames, withTypes } from "../db.ts";
import type { Sql } from "../sql.ts";

/** Longer texts are lists of values, and are not likely to come again. */
const MAX_PREPARED_TEXT = 2000;
/** A process that stopped in the middle of a transaction does not hold the others up for ever. */
const STALLED_MS = 60_000;
/** Text is compared byte by byte, as SQLite does it, whatever the language of the database. */
const typeNames: TypeNames = { text: 'text collate "C"', int: "bigint", bytes: "bytea", strict: "" };

/**
 * One connection, that is lost for good when it is lost: the driver would make it anew and send what is left of a
 * transaction over the new one. Failures are as the driver tells them.
 */
export class PostgresConnection {
  readonly #client: postgres.Sql<{ int8: number }>;
  #isLost = false;
  #hasWorked = false;

  constructor(url: string, busyMs: number) {
    this.#client = postgres(url, {
      max: 1,
      connect_timeout: 10,
      // Of its own accord it would end between two statements of a transaction.
      max_lifetime: null,
      fetch_types: false,
      onnotice: () => {},
      onclose: () => {
        this.#isLost = true;
      },
      connection: {
        application_name: "skillhold",
        lock_timeout: busyMs,
        idle_in_transaction_session_timeout: STALLED_MS,
      },
      types: { int8: { to: 20, from: [20], serialize: String, parse: Number } },
    });
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Whether it was good once: it may then have been lost without anyone's noticing. */
  get hasWorked(): boolean {
    return this.#hasWorked;
  }

  async all<Row>(query: Sql, row: RowParser<Row>): Promise<readonly Row[]> {
    return readRows(await this.#send(query), row);
  }

  async run(query: Sql): Promise<number> {
    return (await this.#send(query)).count;
  }

  async script(text: string): Promise<void> {
    await this.#attempt(() => this.#client.unsafe(withTypes(text, typeNames)));
  }

  /** Calls back when someone notifies the channel, until the connection ends. */
  async listen(channel: string, listener: () => void): Promise<void> {
    await this.#attempt(() => this.#client.listen(channel, listener));
  }

  async end(): Promise<void> {
    this.#isLost = true;
    await this.#client.end({ timeout: 0 });
  }

  #send({ parts, values }: Sql) {
    const text = parts.reduce((before, part, index) => `${before}$${index}${part}`);
    const options = { prepare: text.length <= MAX_PREPARED_TEXT };
    return this.#attempt(() => this.#client.unsafe(text, [...values], options));
  }

  async #attempt<T>(work: () => PromiseLike<T>): Promise<T> {
    if (this.#isLost)
      throw Object.assign(new Error("The connection was lost."), { code: "CONNECTION_CLOSED" });
    try {
      const result = await work();
      this.#hasWorked = true;
      return result;
    } catch (error) {
      if (!isOfStatement(error)) this.#isLost = true;
      throw error;
    }
  }
}

/** Whether a failure is about a statement alone, and the connection can be used further. */
function isOfStatement(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.severity === "ERROR";
}
