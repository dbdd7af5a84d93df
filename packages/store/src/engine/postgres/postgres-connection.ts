import postgres from "postgres";
import { type RowParser, readRows, type TypeNames, withTypes } from "../db.ts";
import { chunks, type RowTable, Sql, type SqlRow } from "../sql.ts";

/** Longer statements contain value lists and are rarely repeated. */
const MAX_PREPARED_TEXT = 2000;
/**
 * The server ends transactions that stall this long, so that a stopped process does not block others forever.
 */
const STALLED_MS = 60_000;
const recordTypes = { text: "text", int: "bigint" } as const;
/** Text is compared by bytes, as in SQLite, whatever the database locale is. */
const typeNames: TypeNames = { text: 'text collate "C"', int: "bigint", bytes: "bytea", strict: "" };

/**
 * One connection. A lost connection is never reopened, because the driver would send the rest of a
 * transaction over the new one. Throws the driver's errors.
 */
export class PostgresConnection {
  readonly #client: postgres.Sql<{ int8: number; json: string }>;
  #isLost = false;
  #hasWorked = false;

  constructor(url: string, busyMs: number) {
    this.#client = postgres(url, {
      max: 1,
      connect_timeout: 10,
      // Otherwise the driver could close the connection inside a transaction.
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
      types: {
        int8: { to: 20, from: [20], serialize: String, parse: Number },
        // Statements pass JSON as text.
        json: { to: 114, from: [114], serialize: String, parse: String },
      },
    });
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Whether the connection has worked before; it may have been lost since. */
  get hasWorked(): boolean {
    return this.#hasWorked;
  }

  async all<Row>(query: Sql, row: RowParser<Row>): Promise<readonly Row[]> {
    return readRows(await this.#send(query), row);
  }

  async run(query: Sql): Promise<number> {
    return (await this.#send(query)).count;
  }

  /** The text does not depend on the number of rows, so that the server prepares it once. */
  async insert({ name, columns }: RowTable, rows: readonly SqlRow[]): Promise<void> {
    const names = Object.keys(columns).join(", ");
    const typed = Object.entries(columns).map(([column, type]) => `${column} ${recordTypes[type]}`);
    const start = `insert into ${name} (${names}) select ${names} from json_to_recordset(`;
    const end = `) as row (${typed.join(", ")})`;
    await Promise.all(
      [...chunks(rows)].map((chunk) => this.#send(new Sql([start, end], [JSON.stringify(chunk)]))),
    );
  }

  async script(text: string): Promise<void> {
    await this.#attempt(() => this.#client.unsafe(withTypes(text, typeNames)));
  }

  /** Calls back on notifications until the connection ends. */
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

/** Whether only the statement failed, and the connection is still usable. */
function isOfStatement(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.severity === "ERROR";
}
