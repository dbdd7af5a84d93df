import { clip } from "../shared/bounded.ts";
import type { JsonValue } from "../shared/command.ts";
import { usageError } from "../shared/script-error.ts";
import { type FormulaOptions, storeFormula } from "./formula-syntax.ts";
import { isJsonObject } from "./json-shape.ts";
import { DATE_FORMAT, DATE_TIME_FORMAT, TIME_FORMAT } from "./number-format.ts";

/** The content to write into a cell. `format` is a number format to apply with it. */
export type CellInput =
  | { readonly kind: "empty" }
  | { readonly kind: "text"; readonly text: string; readonly format?: string | undefined }
  | { readonly kind: "number"; readonly number: number; readonly format?: string | undefined }
  | { readonly kind: "boolean"; readonly isTrue: boolean }
  | {
      readonly kind: "formula";
      /** As files store it: see `storeFormula`. */
      readonly formula: string;
      readonly isSpilling?: boolean | undefined;
      readonly format?: string | undefined;
    }
  | { readonly kind: "date"; readonly iso: string; readonly format: string };

/**
 * Reads a value as a caller writes it: a string that starts with `=` is a formula, an ISO date is a date, and
 * `{ "text": … }`, `{ "formula": … }`, `{ "date": … }` or `{ "value": …, "format": … }` are explicit.
 */
export function readCellInput(value: JsonValue | undefined, where: string): CellInput {
  if (value === null || value === undefined) return { kind: "empty" };
  if (typeof value === "string") return readString(value);
  if (typeof value === "number") return { kind: "number", number: value };
  if (typeof value === "boolean") return { kind: "boolean", isTrue: value };
  if (isJsonObject(value)) return readObject(value, where);
  throw badInput(where, value);
}

/** Text of unknown origin never becomes a formula. */
export function textInput(text: string): CellInput {
  return text === "" ? { kind: "empty" } : { kind: "text", text };
}

/** Data of unknown origin may become a date, but never a formula. */
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
  if (text.startsWith("=") && text.length > 1) return formulaInput(text.slice(1));
  return dateInput(text) ?? textInput(text);
}

function readObject(value: { readonly [key: string]: JsonValue | undefined }, where: string): CellInput {
  const format = typeof value["format"] === "string" ? value["format"] : undefined;
  if (typeof value["text"] === "string") return { kind: "text", text: value["text"], format };
  if (typeof value["formula"] === "string") {
    const hasCustomFunctions = value["custom"] === true;
    return { ...formulaInput(value["formula"].replace(/^=/, ""), { hasCustomFunctions }), format };
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

function formulaInput(text: string, options: FormulaOptions = {}) {
  const { text: formula, isSpilling } = storeFormula(text, options);
  return { kind: "formula", formula, isSpilling } as const;
}

function badInput(where: string, value: JsonValue): Error {
  return usageError(
    `${where} cannot be ${clip(JSON.stringify(value), 60)}.`,
    'A cell is a string, number, true, false, null, or {"text"|"formula"|"date"|"value": …, "format": …}.',
  );
}
