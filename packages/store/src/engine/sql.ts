import { SkillError } from "@skillhold/protocol/error";

/** A column value: booleans are 0 and 1, times are ISO text, and nested data is JSON. */
export type SqlValue = string | number | null | Uint8Array;

/**
 * A statement, or a part of one, separate from its values: `values[i]` is between `parts[i]` and `parts[i +
 * 1]`. Only text from source files becomes a part.
 */
export class Sql {
  readonly parts: readonly string[];
  readonly values: readonly SqlValue[];

  constructor(parts: readonly string[], values: readonly SqlValue[]) {
    this.parts = parts;
    this.values = values;
  }
}

/** The name of a table, and the columns of the rows to insert. Only text from source files. */
export interface RowTable {
  readonly name: string;
  readonly columns: Readonly<Record<string, "text" | "int">>;
}

/** A missing column is null. */
export type SqlRow = Readonly<Record<string, string | number | null | undefined>>;

/** Throws if an engine cannot store a value of a row. */
export function checkRow(row: SqlRow): void {
  for (const value of Object.values(row)) checked(value ?? null);
}

/** Builds a statement. A slot is a value or another piece of SQL. */
export function sql(strings: TemplateStringsArray, ...slots: readonly (SqlValue | Sql)[]): Sql {
  return weave(strings, slots);
}

/** Joins values or conditions. */
export function joinSql(
  items: readonly (SqlValue | Sql)[],
  separator: ", " | " and " | " union all " = ", ",
): Sql {
  if (items.length === 0) throw new Error("SQL has no empty lists.");
  return weave(["", ...items.slice(1).map(() => separator), ""], items);
}

/**
 * Whether both engines can store a text unchanged: PostgreSQL rejects NUL, and UTF-8 has no lone surrogates.
 */
export function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

/** Replaces characters that the engines cannot store. Only for copies that are not read back. */
export function toStorable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

function weave(strings: readonly string[], slots: readonly (SqlValue | Sql)[]): Sql {
  const parts = [strings[0] ?? ""];
  const values: SqlValue[] = [];
  const extend = (text: string) => parts.push((parts.pop() ?? "") + text);
  for (const [index, slot] of slots.entries()) {
    if (slot instanceof Sql) {
      extend(slot.parts[0] ?? "");
      parts.push(...slot.parts.slice(1));
      values.push(...slot.values);
    } else {
      parts.push("");
      values.push(checked(slot));
    }
    extend(strings[index + 1] ?? "");
  }
  return new Sql(parts, values);
}

function checked(value: SqlValue): SqlValue {
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw new Error(`${value} is not a whole number that both engines can store.`);
  }
  if (typeof value === "string" && !isStorable(value)) {
    throw new SkillError(
      "USAGE",
      "The text contains a NUL or a lone surrogate, which the store cannot keep.",
      {
        hint: "Remove the character from the text.",
      },
    );
  }
  return value;
}

/** Well below the value limit of both engines. */
const CHUNK = 500;

/** Splits a list into pieces that fit into one statement. */
export function* chunks<T>(items: readonly T[], size = CHUNK): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** A time in the stored form, which sorts as text. */
export function timeText(at: string | Date): string {
  return new Date(at).toISOString();
}

/** Rejects negative limits: SQLite returns all rows and PostgreSQL fails. */
export function pageLimit(limit: number): number {
  if (Number.isSafeInteger(limit) && limit >= 0) return limit;
  throw new SkillError("USAGE", `The limit ${limit} is not a whole number of 0 or more.`, {
    hint: "Omit the limit to get all rows.",
  });
}
