import Papa from "papaparse";
import { inputError, usageError } from "../shared/script-error.ts";
import { type CellInput, dateInput, textInput } from "./cell-input.ts";

export interface CsvTable {
  readonly rows: readonly (readonly string[])[];
  readonly delimiter: string;
}

/** Reads CSV text (RFC 4180) with any line ends. Without a delimiter, the most likely one is used. */
export function parseCsv(text: string, delimiter?: string): CsvTable {
  const { data, errors, meta } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ""), {
    delimiter: delimiter ?? "",
    delimitersToGuess: [",", ";", "\t", "|"],
  });
  if (errors.some(({ code }) => code === "MissingQuotes")) {
    throw inputError(
      "BROKEN_FILE",
      "The CSV ends within quotes.",
      "Check the last quoted field of the file.",
    );
  }
  const last = data.at(-1);
  const isEnded = last?.length === 1 && last[0] === "";
  return { rows: isEnded ? data.slice(0, -1) : data, delimiter: meta.delimiter };
}

export function readDelimiter(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (value === "tab" || value === "\\t") return "\t";
  if (value.length === 1 && !/["\r\n]/.test(value)) return value;
  throw usageError("--delimiter is one character, or tab.");
}

export interface CsvOptions {
  readonly delimiter: string;
  /** Whether text that a spreadsheet would run as a formula stays as it is. Otherwise it gets an apostrophe in front. */
  readonly isRaw: boolean;
}

export type CsvValue = string | number | boolean | null;

/** One line for each row, each ended. */
export function formatCsv(rows: Iterable<readonly CsvValue[]>, { delimiter, isRaw }: CsvOptions): string {
  const table = [...rows].map((row) => [...row]);
  if (table.length === 0) return "";
  return `${Papa.unparse(table, { delimiter, newline: "\n", escapeFormulae: !isRaw })}\n`;
}

/** Whether a spreadsheet would run the text as a formula. */
export function isFormulaLike(text: string): boolean {
  return /^[=+\-@\t\r]/.test(text);
}

/**
 * The value of a field. Codes with leading zeros and numbers with more digits than a sheet keeps stay text. A field never
 * becomes a formula.
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
