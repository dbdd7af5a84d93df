import { clip } from "../shared/bounded.ts";
import { usageError } from "../shared/script-error.ts";

/** Rows and columns count from 1, as on the screen. */
export interface CellAddress {
  readonly row: number;
  readonly column: number;
}

/** A rectangle, both corners inside. */
export interface CellRange {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

export const MAX_ROW = 1_048_576;
export const MAX_COLUMN = 16_384;

export function columnLetters(column: number): string {
  let letters = "";
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

export function columnNumber(letters: string): number {
  let number = 0;
  for (const letter of letters.toUpperCase()) number = number * 26 + letter.charCodeAt(0) - 64;
  return number;
}

export function formatAddress({ row, column }: CellAddress): string {
  return `${columnLetters(column)}${row}`;
}

export function formatRange({ top, left, bottom, right }: CellRange): string {
  const first = formatAddress({ row: top, column: left });
  return top === bottom && left === right
    ? first
    : `${first}:${formatAddress({ row: bottom, column: right })}`;
}

/** Reads `B2`, with or without dollar signs; undefined when it is not an address. */
export function parseAddress(text: string): CellAddress | undefined {
  const found = /^\$?([A-Za-z]{1,3})\$?(\d{1,7})$/.exec(text.trim());
  if (found === null) return undefined;
  const [, letters = "", digits = ""] = found;
  const address = { row: Number(digits), column: columnNumber(letters) };
  return isInside(address) ? address : undefined;
}

/** Reads `A1:C9`, `B2`, `A:C` or `2:5`; undefined when it is no range. */
export function parseRange(text: string): CellRange | undefined {
  const [from = "", to = from] = text.replaceAll("$", "").trim().split(":");
  const [first, last] = [parseAddress(from), parseAddress(to)];
  if (first !== undefined && last !== undefined) return spanning(first, last);
  if (!text.includes(":")) return undefined;
  if (isColumn(from) && isColumn(to)) {
    return spanning({ row: 1, column: columnNumber(from) }, { row: MAX_ROW, column: columnNumber(to) });
  }
  if (isRow(from) && isRow(to)) {
    return spanning({ row: Number(from), column: 1 }, { row: Number(to), column: MAX_COLUMN });
  }
  return undefined;
}

export function readAddress(text: string): CellAddress {
  const address = parseAddress(text);
  if (address !== undefined) return address;
  throw usageError(`${clip(text, 40)} is not the address of a cell.`, "Addresses look like B2.");
}

export function readRange(text: string): CellRange {
  const range = parseRange(text);
  if (range !== undefined) return range;
  throw usageError(`${clip(text, 40)} is not a range.`, "Ranges look like A1:D20, B2, A:C or 2:5.");
}

export function rangesMeet(one: CellRange, other: CellRange): boolean {
  return (
    one.top <= other.bottom && other.top <= one.bottom && one.left <= other.right && other.left <= one.right
  );
}

function isInside({ row, column }: CellAddress): boolean {
  return row >= 1 && row <= MAX_ROW && column >= 1 && column <= MAX_COLUMN;
}

function isColumn(text: string): boolean {
  return /^[A-Za-z]{1,3}$/.test(text) && columnNumber(text) <= MAX_COLUMN;
}

function isRow(text: string): boolean {
  return /^\d{1,7}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_ROW;
}

function spanning(first: CellAddress, last: CellAddress): CellRange {
  return {
    top: Math.min(first.row, last.row),
    left: Math.min(first.column, last.column),
    bottom: Math.max(first.row, last.row),
    right: Math.max(first.column, last.column),
  };
}
