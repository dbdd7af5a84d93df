import { SkillError } from "@skillhold/protocol/error";
import { ZodError } from "zod";
import type { RowTable, Sql, SqlRow } from "./sql.ts";

/** A database of either engine. Both accept the same SQL. Engine failures are SkillErrors. */
export interface Db extends Queries {
  readonly engine: "sqlite" | "postgres";
  /** The location for messages, without secrets. */
  readonly place: string;
  hasTable(name: string): Promise<boolean>;
  /**
   * Atomic, and durable when it returns. Contract: `work` awaits only `tx`. With SQLite all other writers
   * wait, with PostgreSQL those that need the same locks. The engine may run `work` again from the start. `onCommit` runs
   * as soon as the next transaction can see the changes, which may be before they are durable.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, onCommit?: () => void): Promise<T>;
  /** Reads as of one moment, on a separate connection. Writers do not wait for it. */
  snapshot<T>(work: (reader: Queries) => Promise<T>): Promise<T>;
  /**
   * Calls back after a commit with changes: for SQLite those of this object, for PostgreSQL those of all
   * clients.
   */
  listen(listener: () => void): Promise<() => Promise<void>>;
  /** A number that changes with every commit; undefined if the engine has none. */
  version(): Promise<number | undefined>;
  /** Waits for running work. All later calls fail. */
  close(): Promise<void>;
}

export interface Queries {
  all<Row>(query: Sql, row: RowParser<Row>): Promise<readonly Row[]>;
}

/** After a failed statement, or after the end, all calls fail. */
export interface Tx extends Queries {
  /** Returns the number of changed rows. */
  run(query: Sql): Promise<number>;
  /** Runs a statement without waiting for it. A failure fails the transaction. */
  send(query: Sql): void;
  /** Inserts rows without waiting for them. A failure fails the transaction. */
  insert(table: RowTable, rows: readonly SqlRow[]): void;
  /** Statements without values. Column types are written `{text}`, `{int}`, `{bytes}` and `{strict}`. */
  script(text: string): Promise<void>;
  /** Waits for the lock and holds it until the transaction ends. */
  lock(name: string, use?: "alone" | "shared"): Promise<void>;
}

/** Converts a row; usually a zod schema. */
export interface RowParser<Row> {
  parse(row: unknown): Row;
}

/** The engine's names for the script types. */
export type TypeNames = Readonly<Record<"text" | "int" | "bytes" | "strict", string>>;

export function withTypes(script: string, names: TypeNames): string {
  // The pattern matches only keys of `names`.
  return script.replaceAll(/\{(text|int|bytes|strict)\}/g, (_, type) => names[type as keyof TypeNames]);
}

/** A row that does not match the schema was changed by another program. */
export function readRows<Row>(rows: readonly unknown[], row: RowParser<Row>): readonly Row[] {
  try {
    return rows.map((each) => row.parse(each));
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    throw new SkillError(
      "INTEGRITY_FAILED",
      "A row of the registry has an unexpected format. Run `skillhold fsck`.",
      {
        details: { columns: error.issues.map(({ path }) => path.join(".")) },
        cause: error,
      },
    );
  }
}
