import { SkillError } from "@skillhold/protocol/error";

/** What a column holds: booleans are 0 and 1, times are ISO text, and everything nested is JSON. */
export type SqlValue = string | number | null | Uint8Array;

/**
 * A statement, or a part of one, apart from its values: `values[i]` stands between `parts[i]` and `parts[i + 1]`. Text
 * that is not in a source file never becomes a part.
 */
export class Sql {
  readonly parts: readonly string[];
  readonly values: readonly SqlValue[];

  constructor(parts: readonly string[], values: readonly SqlValue[]) {
    this.parts = parts;
    this.values = values;
  }
}

/** Writes a statement: a slot is a value, or another piece of SQL that is put in its place. */
export function sql(strings: TemplateStringsArray, ...slots: readonly (SqlValue | Sql)[]): Sql {
  return weave(strings, slots);
}

/** The items one after the other; for lists of values and of conditions. */
export function joinSql(items: readonly (SqlValue | Sql)[], separator: ", " | " and " = ", "): Sql {
  if (items.length === 0) throw new Error("SQL has no empty lists.");
  return weave(["", ...items.slice(1).map(() => separator), ""], items);
}

/** Whether both engines keep a text as it is: PostgreSQL has no NUL, and UTF-8 has no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

/** A text as near to what it was as both engines keep it; for copies, never for what is read again. */
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
    throw new Error(`${value} is not a whole number that both engines keep.`);
  }
  if (typeof value === "string" && !isStorable(value)) {
    throw new SkillError("USAGE", "A text holds a NUL or half of a character, which no store keeps.", {
      hint: "Take the character out of the text.",
    });
  }
  return value;
}

/** Well below how many values either engine takes in a statement. */
const CHUNK = 500;

/** A list in pieces that fit into a statement. */
export function* chunks<T>(items: readonly T[], size = CHUNK): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** A time as it is stored where times are compared: in this form the order of texts is the order of times. */
export function timeText(at: string | Date): string {
  return new Date(at).toISOString();
}

/** How many rows are asked for; one engine takes a negative number for all of them, and the other fails. */
export function pageLimit(limit: number): number {
  if (Number.isSafeInteger(limit) && limit >= 0) return limit;
  throw new SkillError("USAGE", "A limit is a whole number, 0 or more.", {
    hint: "Leave the limit out to get all.",
  });
}
