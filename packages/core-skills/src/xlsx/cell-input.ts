import { clip } from "../shared/bounded.ts";
import { type JsonValue } from "../shared/command.ts";
import { usageError } from "../shared/script-error.ts";
import { isJsonObject } from "./json-shape.ts";
import { DATE_FORMAT, DATE_TIME_FORMAT, TIME_FORMAT } from "./number-format.ts";

/** What is to be in a cell. `format` is a number format that comes with it. */
export type CellInput =
  | { readonly kind: "empty" }
  | { readonly kind: "text"; readonly text: string; readonly format?: string | undefined }
  | { readonly kind: "number"; readonly number: number; readonly format?: string | undefined }
  | { readonly kind: "boolean"; readonly isTrue: boolean }
  | { readonly kind: "formula"; readonly formula: string; readonly format?: string | undefined }
  | { readonly kind: "date"; readonly iso: string; readonly format: string };

/**
 * Reads a value as a caller writes it: a string that starts with `=` is a formula, one that looks like an ISO date is
 * a date, and `{ "text": … }`, `{ "formula": … }`, `{ "date": … }` or `{ "value": …, "format": … }` say what is meant.
 */
export function readCellInput(value: JsonValue | undefined, where: string): CellInput {
  if (value === null || value === undefined) return { kind: "empty" };
  if (typeof value === "string") return readString(value);
  if (typeof value === "number") return { kind: "number", number: value };
  if (typeof value === "boolean") return { kind: "boolean", isTrue: value };
  if (isJsonObject(value)) return readObject(value, where);
  throw badInput(where, value);
}

/** A string of unknown origin: never a formula. */
export function textInput(text: string): CellInput {
  return text === "" ? { kind: "empty" } : { kind: "text", text };
}

/** A value of data that someone else wrote: dates are read, but nothing in it makes a formula. */
export function readDataInput(value: JsonValue | undefined, where: string): CellInput {
  if (typeof value === "string") return dateInput(value) ?? textInput(value);
  return typeof value === "object" && value !== null
    ? textInput(JSON.stringify(value))
    : readCellInput(value, where);
}

export function dateInput(text: string): CellInput | undefined {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return { kind: "date", iso: text, format: DATE_FORMAT };
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?$/.test(text)) {
    return { kind: "date", iso: text, format: DATE_TIME_FORMAT };
  }
  return /^\d\d:\d\d:\d\d$/.test(text) ? { kind: "date", iso: text, format: TIME_FORMAT } : undefined;
}

function readString(text: string): CellInput {
  if (text.startsWith("=") && text.length > 1) return { kind: "formula", formula: qualify(text.slice(1)) };
  return dateInput(text) ?? textInput(text);
}

function readObject(value: { readonly [key: string]: JsonValue | undefined }, where: string): CellInput {
  const format = typeof value["format"] === "string" ? value["format"] : undefined;
  if (typeof value["text"] === "string") return { kind: "text", text: value["text"], format };
  if (typeof value["formula"] === "string") {
    return { kind: "formula", formula: qualify(value["formula"].replace(/^=/, "")), format };
  }
  if (typeof value["date"] === "string") {
    const date = dateInput(value["date"]);
    if (date?.kind === "date") return { ...date, format: format ?? date.format };
  }
  if (value["value"] !== undefined && !isJsonObject(value["value"])) {
    const input = readCellInput(value["value"], where);
    return format === undefined || input.kind === "empty" || input.kind === "boolean"
      ? input
      : { ...input, format };
  }
  throw badInput(where, value);
}

function badInput(where: string, value: JsonValue): Error {
  return usageError(
    `${where} cannot be ${clip(JSON.stringify(value), 60)}.`,
    'A cell is a string, number, true, false, null, or {"text"|"formula"|"date"|"value": …, "format": …}.',
  );
}

/** Functions that came after the format was fixed: in files they have a prefix that nobody types. */
const LATER = new Set(
  (
    "CONCAT IFS IFNA MAXIFS MINIFS SWITCH TEXTJOIN XLOOKUP XMATCH XOR DAYS ISFORMULA FORMULATEXT NUMBERVALUE " +
    "STDEV.S STDEV.P VAR.S VAR.P PERCENTILE.INC PERCENTILE.EXC QUARTILE.INC QUARTILE.EXC RANK.EQ RANK.AVG " +
    "MODE.SNGL NORM.DIST NORM.INV FORECAST.LINEAR TEXTBEFORE TEXTAFTER"
  ).split(" "),
);

function qualify(formula: string): string {
  return formula.replace(/"(?:[^"]|"")*"|(?<![\w.])([A-Za-z][\w.]*)(?=\()/g, (all: string, name?: string) =>
    name !== undefined && LATER.has(name.toUpperCase()) ? `_xlfn.${name.toUpperCase()}` : all,
  );
}
