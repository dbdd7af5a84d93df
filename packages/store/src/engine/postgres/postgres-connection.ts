import postgres from "postgres";
import { type RowParser, readRows, type TypeNames, withTypes } from "../db.ts";
import { chunks, type RowTable, Sql, type SqlRow, type SqlValue } from "../sql.ts";
import { StatementGate } from "./statement-gate.ts";

/** Longer statements contain value lists and are rarely repeated. */
const MAX_PREPARED_TEXT = 2000;
/**
 * The server ends transactions that stall this long, so that a stopped process does not block others forever.
 */
const STALLED_MS = 60_000;
/** The protocol counts the values of a statement in 16 bits. */
const MAX_VALUES = 65_535;
const recordTypes = { text: "text", int: "bigint" } as const;
/** Text is compared by bytes, as in SQLite, whatever the database locale is. */
const typeNames: TypeNames = { text: 'text collate "C"', int: "bigint", bytes: "bytea", strict: "" };

/**
 * One connection. A lost connection is never reopened, because the driver would send the rest of a
 * transaction over the new one. Throws the driver's errors.
 */
export class PostgresConnection {
  readonly #client: postgres.Sql<{ int8: number; json: string; bytea: Buffer<ArrayBuffer> }>;
  readonly #gate = new StatementGate();
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
        bytea: { to: 17, from: [17], serialize: String, parse: (hex) => Buffer.from(hex.slice(2), "hex") },
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
    await this.#gate.pass({ bytes: text.length }, () =>
      this.#attempt(() => this.#client.unsafe(withTypes(text, typeNames))),
    );
  }

  /** Calls back on notifications until the connection ends. */
  async listen(channel: string, listener: () => void): Promise<void> {
    await this.#attempt(() => this.#client.listen(channel, listener));
  }

  async end(): Promise<void> {
    this.#isLost = true;
    await this.#client.end({ timeout: 0 });
  }

  async #send({ parts, values }: Sql) {
    const text = parts.reduce((before, part, index) => `${before}$${index}${part}`);
    const parameters = parametersOf(values);
    const prepare = text.length <= MAX_PREPARED_TEXT;
    const bytes = parameters.reduce((sum, value) => sum + 3 * (value?.length ?? 0), text.length);
    const needs = { bytes, described: values.length === 0 ? undefined : prepare ? text : "" };
    return await this.#gate.pass(needs, () =>
      this.#attempt(() => this.#client.unsafe(text, parameters, { prepare })),
    );
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

/** All values are text, so that the driver has no reason to reject one after it took the statement. */
function parametersOf(values: readonly SqlValue[]): (string | null)[] {
  if (values.length >= MAX_VALUES) throw new Error(`A statement has ${values.length} values.`);
  return values.map((value) => {
    if (value === undefined) throw new Error("A statement has an undefined value.");
    if (value instanceof Uint8Array)
      return `\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")}`;
    return value === null ? null : String(value);
  });
}

/** Whether only the statement failed, and the connection is still usable. */
function isOfStatement(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.severity === "ERROR";
}
