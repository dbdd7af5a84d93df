import { inputError, usageError } from "../shared/script-error.ts";
import { type CellInput, dateInput, textInput } from "./cell-input.ts";

/** Reads CSV text (RFC 4180): quotes, doubled quotes, line breaks within quotes, and any line ends. */
export function parseCsv(text: string, delimiter: string): readonly (readonly string[])[] {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < source.length) {
    const { field, end } =
      source[at] === '"' ? readQuoted(source, at, delimiter) : readPlain(source, at, delimiter);
    row.push(field);
    at = end;
    if (source.startsWith(delimiter, at)) {
      at += 1;
      // A delimiter at the very end has an empty field after it.
      if (at === source.length) row.push("");
      continue;
    }
    if (source.startsWith("\r\n", at)) at += 1;
    at += 1;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return rows;
}

/** The delimiter that the first line has most of, outside of quotes. */
export function guessDelimiter(text: string): string {
  const [line = ""] = text
    .slice(0, 10_000)
    .replace(/"(?:[^"]|"")*"/g, "")
    .split(/\r?\n/);
  const counts = [",", ";", "\t", "|"].map((delimiter) => [delimiter, line.split(delimiter).length] as const);
  return counts.reduce((best, each) => (each[1] > best[1] ? each : best))[0];
}

export function readDelimiter(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (value === "tab" || value === "\\t") return "\t";
  if (value.length === 1 && !/["\r\n]/.test(value)) return value;
  throw usageError("--delimiter is one character, or tab.");
}

export interface CsvOptions {
  readonly delimiter: string;
  /**
   * Leaves text as it is that a spreadsheet would run as a formula when it opens the file. Otherwise such text gets an
   * apostrophe in front.
   */
  readonly isRaw: boolean;
}

export type CsvValue = string | number | boolean | null;

/** One line for each row, each ended. */
export function formatCsv(rows: Iterable<readonly CsvValue[]>, options: CsvOptions): string {
  let text = "";
  for (const row of rows)
    text += `${row.map((value) => formatField(value, options)).join(options.delimiter)}\n`;
  return text;
}

/** Whether a spreadsheet would take the text for a formula. */
export function isFormulaLike(text: string): boolean {
  return /^[=+\-@\t\r]/.test(text);
}

/**
 * The value that a field stands for. Only what comes back the same is made a number or a date: codes with leading
 * zeros and numbers with more digits than a sheet keeps stay text. A formula is never made.
 */
export function readField(field: string): CellInput {
  if (isNumber(field)) return { kind: "number", number: Number(field) };
  if (/^(true|false)$/i.test(field)) return { kind: "boolean", isTrue: field.toLowerCase() === "true" };
  return dateInput(field) ?? textInput(field);
}

/** Integers with more than 15 digits are codes, which would lose their last ones; decimals may be rounded there. */
function isNumber(field: string): boolean {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?$/.test(field)) return false;
  return field.replace(/\..*$|-/g, "").length <= 15;
}

function readQuoted(
  text: string,
  start: number,
  delimiter: string,
): { readonly field: string; readonly end: number } {
  let field = "";
  let at = start + 1;
  for (;;) {
    const end = text.indexOf('"', at);
    if (end === -1) throw inputError("BROKEN_FILE", "The CSV ends within quotes.");
    field += text.slice(at, end);
    if (text[end + 1] !== '"') {
      // What follows the closing quote by mistake is part of the field.
      const rest = readPlain(text, end + 1, delimiter);
      return { field: field + rest.field, end: rest.end };
    }
    field += '"';
    at = end + 2;
  }
}

function readPlain(
  text: string,
  start: number,
  delimiter: string,
): { readonly field: string; readonly end: number } {
  let end = start;
  while (end < text.length && text[end] !== delimiter && text[end] !== "\n" && text[end] !== "\r") end += 1;
  return { field: text.slice(start, end), end };
}

function formatField(value: CsvValue, { delimiter, isRaw }: CsvOptions): string {
  if (value === null) return "";
  const isRisky = typeof value === "string" && !isRaw && isFormulaLike(value);
  const text = isRisky ? `'${value}` : String(value);
  return text.includes(delimiter) || /["\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
