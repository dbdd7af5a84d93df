import { SkillError } from "@skillhold/protocol/error";
import { ZodError } from "zod";
import type { Sql } from "./sql.ts";

/** A database of either engine, which take the same SQL. Failures of the engine are SkillErrors. */
export interface Db extends Queries {
  readonly engine: "sqlite" | "postgres";
  /** Where it is, for messages; without what may be secret. */
  readonly place: string;
  hasTable(name: string): Promise<boolean>;
  /**
   * All or nothing, and durable when it returns. Contract: nothing but `tx` is awaited in `work`. With SQLite all other
   * writers wait for its end, and with PostgreSQL those that want a lock it holds. It may be run again from its start.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Calls back after a commit that wrote: with SQLite those of this object, with PostgreSQL everyone's. */
  listen(listener: () => void): Promise<() => Promise<void>>;
  /** Another number after each commit of anyone; undefined where the engine has none. */
  version(): Promise<number | undefined>;
  /** Waits for what is under way. Everything that is called after it fails. */
  close(): Promise<void>;
}

export interface Queries {
  all<Row>(query: Sql, row: RowParser<Row>): Promise<readonly Row[]>;
}

/** After a statement failed, or after its end, every call of it fails. */
export interface Tx extends Queries {
  /** Answers with how many rows it wrote. */
  run(query: Sql): Promise<number>;
  /** Statements without values, whose types are written `{text}`, `{int}`, `{bytes}` and `{strict}`. */
  script(text: string): Promise<void>;
  /** Waits until no other transaction holds the name, or until none holds it alone; held to the end. */
  lock(name: string, use?: "alone" | "shared"): Promise<void>;
}

/** A zod schema, or what else turns a row into what it is. */
export interface RowParser<Row> {
  parse(row: unknown): Row;
}

/** What the engines call a type of the scripts. */
export type TypeNames = Readonly<Record<"text" | "int" | "bytes" | "strict", string>>;

export function withTypes(script: string, names: TypeNames): string {
  // The pattern has the keys of the names alone.
  return script.replaceAll(/\{(text|int|bytes|strict)\}/g, (_, type) => names[type as keyof TypeNames]);
}

/** What does not read as what we write was changed by something else. */
export function readRows<Row>(rows: readonly unknown[], row: RowParser<Row>): readonly Row[] {
  try {
    return rows.map((each) => row.parse(each));
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    throw new SkillError("INTEGRITY_FAILED", "A row of the registry is not as it was written.", {
      details: { columns: error.issues.map(({ path }) => path.join(".")) },
      cause: error,
    });
  }
}
