import type { DatabaseSync, StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { SkillError } from "@skillhold/protocol/error";
import { diskFull, isDiskFull } from "@skillhold/registry/record";
import { type RowParser, readRows, type TypeNames, withTypes } from "../db.ts";
import type { RowTable, Sql, SqlRow } from "../sql.ts";
import { openDatabase } from "./node-sqlite.ts";
import { isBusy, isDamaged, isDuplicate, isUnwritable } from "./sqlite-failure.ts";

/** Longer waits happen between attempts, so that the process can do other work. */
const BUSY_MS = 20;
const MAX_STATEMENTS = 100;
/** Longer statements contain value lists and are rarely repeated. */
const MAX_KEPT_TEXT = 2000;
const typeNames: TypeNames = { text: "text", int: "integer", bytes: "blob", strict: "strict" };

/** `unchanging`: the file cannot be written, so SQLite needs no files beside it. */
export type SqliteAccess = "write" | "read" | "unchanging";

/** One connection to a file, with its prepared statements. Throws SQLite's errors. */
export class SqliteConnection {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string, access: SqliteAccess = "write") {
    this.path = path;
    const address = access === "unchanging" ? unchanging(path) : path;
    this.#database = openDatabase(address, { timeout: BUSY_MS, readOnly: access !== "write" });
  }

  all<Row>(query: Sql, row: RowParser<Row>): readonly Row[] {
    return readRows(this.#prepare(query.parts.join("?")).all(...query.values), row);
  }

  run(query: Sql): number {
    return Number(this.#prepare(query.parts.join("?")).run(...query.values).changes);
  }

  /** One statement per row: for a statement with several rows, SQLite writes a journal of its own to a temporary file. */
  insert(table: RowTable, rows: readonly SqlRow[]): void {
    const names = Object.keys(table.columns);
    const slots = names.map(() => "?").join(", ");
    const statement = this.#prepare(`insert into ${table.name} (${names.join(", ")}) values (${slots})`);
    for (const row of rows) statement.run(...names.map((name) => row[name] ?? null));
  }

  script(text: string): void {
    this.#database.exec(withTypes(text, typeNames));
  }

  pragma(name: string): unknown {
    return this.#prepare(`pragma ${name}`).get()?.[name];
  }

  rollback(): void {
    // A failed commit may have ended the transaction already.
    if (this.#database.isTransaction) this.#database.exec("rollback");
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepare(text: string): StatementSync {
    const kept = this.#statements.get(text);
    if (kept !== undefined) return kept;
    const statement = this.#database.prepare(text);
    if (text.length <= MAX_KEPT_TEXT) {
      if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
      this.#statements.set(text, statement);
    }
    return statement;
  }
}

function unchanging(path: string): URL {
  const address = pathToFileURL(path);
  address.searchParams.set("immutable", "1");
  return address;
}

/** Converts an SQLite failure to a SkillError; passes other errors on. */
export function explainSqlite(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !("errcode" in error)) return error;
  const options = { details: { path }, cause: error };
  if (isDamaged(error)) {
    return new SkillError("INTEGRITY_FAILED", `The registry in ${path} is damaged.`, {
      ...options,
      hint: "Restore the file from a backup. It was not changed.",
    });
  }
  if (isBusy(error)) {
    return new SkillError(
      "STORE_FAILED",
      `The registry in ${path} was locked by other processes for too long.`,
      {
        ...options,
        hint: "Find the process that holds the lock, or try again later.",
      },
    );
  }
  if (isDiskFull(error)) return diskFull(`The disk of the registry in ${path}`, error);
  if (isUnwritable(error)) {
    return new SkillError("STORE_FAILED", `The registry in ${path} cannot be written.`, {
      ...options,
      hint: "The file, its folder or its disk is read-only. Make it writable, or copy the registry elsewhere.",
    });
  }
  if (isDuplicate(error)) return new SkillError("CONFLICT", "A row with this key already exists.", options);
  return new SkillError("STORE_FAILED", `The registry in ${path} failed: ${error.message}.`, options);
}
