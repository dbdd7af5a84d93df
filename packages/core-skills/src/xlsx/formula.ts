import { columnLetters, columnNumber, MAX_COLUMN, MAX_ROW } from "./cell-address.ts";

/** A part of a formula that names cells, as it is written. */
export interface Reference {
  /** The sheet before the `!`, without quotes; undefined when it is the sheet of the formula. */
  readonly sheet: string | undefined;
  /** `[1]` and the like: a sheet of another workbook. */
  readonly isForeign: boolean;
  /** `$A$1`, `A1:B9`, `A:A` or `2:2`. */
  readonly area: string;
}

/** Rewrites every reference to cells, and leaves strings, names, functions and table columns as they are. */
export function mapReferences(formula: string, rewrite: (reference: Reference) => string): string {
  return formula.replace(token, (all: string, prefix: string | undefined, area: string | undefined) => {
    if (area === undefined) return all;
    return rewrite({ sheet: sheetOf(prefix), isForeign: prefix?.includes("[") === true, area });
  });
}

/** The formula of a cell, as it would be after it was copied by so many rows and columns. */
export function slideFormula(formula: string, rows: number, columns: number): string {
  return mapReferences(formula, (reference) =>
    formatReference(
      reference,
      mapCorners(reference.area, (corner) => slideCorner(corner, rows, columns)),
    ),
  );
}

/** Rows that come in or go: from row `at`, so many more, or less when it is negative. */
export interface RowShift {
  readonly sheet: string;
  readonly at: number;
  readonly count: number;
}

/** The formula after rows of a sheet came or went; `home` is the sheet that the formula is on. */
export function shiftFormula(formula: string, shift: RowShift, home: string): string {
  return mapReferences(formula, (reference) => {
    const isMeant = !reference.isForeign && sameSheet(reference.sheet ?? home, shift.sheet);
    return formatReference(
      reference,
      isMeant ? (shiftArea(reference.area, shift) ?? "#REF!") : reference.area,
    );
  });
}

/** The formula after a row was multiplied: ranges that end with it take the new rows in. */
export function extendFormula(formula: string, { sheet, at, count }: RowShift, home: string): string {
  return mapReferences(formula, (reference) => {
    const isMeant = !reference.isForeign && sameSheet(reference.sheet ?? home, sheet);
    const area = isMeant ? extendArea(reference.area, at, count) : reference.area;
    return formatReference(reference, area);
  });
}

function extendArea(area: string, row: number, count: number): string {
  return area.replace(/^(.*\d.*:\$?[A-Za-z]*\$?)(\d+)$/, (all: string, start: string, last: string) =>
    Number(last) === row ? `${start}${row + count}` : all,
  );
}

/** The formula after a sheet was renamed, or removed when there is no new name. */
export function renameInFormula(formula: string, from: string, to: string | undefined): string {
  return mapReferences(formula, (reference) => {
    const isMeant = !reference.isForeign && reference.sheet !== undefined && sameSheet(reference.sheet, from);
    if (!isMeant) return formatReference(reference, reference.area);
    return to === undefined ? "#REF!" : formatReference({ ...reference, sheet: to }, reference.area);
  });
}

/** The sheets of this workbook that a formula reads from. */
export function sheetsOf(formula: string): ReadonlySet<string> {
  const sheets = new Set<string>();
  mapReferences(formula, ({ sheet, isForeign, area }) => {
    if (sheet !== undefined && !isForeign) sheets.add(sheet);
    return area;
  });
  return sheets;
}

/** The area after the shift; undefined when all of it went. */
export function shiftArea(area: string, { at, count }: RowShift): string | undefined {
  const rows = area.match(/\d+/g)?.map(Number);
  const [first, last] = [rows?.[0], rows?.at(-1)];
  // Whole columns stay what they are.
  if (first === undefined || last === undefined) return area;
  const end = at - count;
  if (count < 0 && first >= at && last < end) return undefined;
  const moved = (row: number, goneTo: number) => {
    if (row < at) return row;
    return count < 0 && row < end ? goneTo : row + count;
  };
  const next = [moved(first, at), moved(last, at - 1)];
  if ((next[0] ?? 0) > MAX_ROW) return undefined;
  let index = 0;
  return area.replace(/\d+/g, () => String(Math.min(next[index++] ?? MAX_ROW, MAX_ROW)));
}

/** Names of sheets do not differ by case. */
export function sameSheet(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

export function quoteSheet(name: string): string {
  const isPlain = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !/^([A-Za-z]{1,3}\d+|[Rr]\d*[Cc]\d*)$/.test(name);
  return isPlain ? name : `'${name.replaceAll("'", "''")}'`;
}

const AREA =
  "\\$?[A-Za-z]{1,3}\\$?\\d{1,7}(?::\\$?[A-Za-z]{1,3}\\$?\\d{1,7})?|\\$?[A-Za-z]{1,3}:\\$?[A-Za-z]{1,3}|\\$?\\d{1,7}:\\$?\\d{1,7}";
const NAME = "[\\p{L}_\\\\][\\p{L}\\p{N}_.]*";

/** In this order: strings, table columns, functions, references with their sheet, names and numbers. */
const token = new RegExp(
  [
    '"(?:[^"]|"")*"',
    "(?:\\[(?:[^[\\]]|\\[[^[\\]]*\\])*\\])(?!\\d|\\p{L})",
    `${NAME}(?=\\()`,
    `((?:'(?:[^']|'')+'|(?:\\[\\d+\\])?${NAME}(?::${NAME})?|\\[\\d+\\])!)?(${AREA})(?![\\p{L}\\p{N}_.!(:\\[])`,
    "'(?:[^']|'')+'!?",
    `(?:\\[\\d+\\])?${NAME}!?`,
    "\\d[\\d.]*(?:[eE][+-]?\\d+)?",
  ].join("|"),
  "gu",
);

function sheetOf(prefix: string | undefined): string | undefined {
  if (prefix === undefined) return undefined;
  const name = prefix.slice(0, -1);
  return name.startsWith("'") ? name.slice(1, -1).replaceAll("''", "'") : name;
}

function formatReference({ sheet }: Reference, area: string): string {
  if (sheet === undefined || area === "#REF!") return area;
  // A range of sheets and a foreign sheet are written as they were.
  const isPlain =
    /^(\[\d+\])?[\p{L}_][\p{L}\p{N}_.]*(:[\p{L}_][\p{L}\p{N}_.]*)?$/u.test(sheet) && !isAddressLike(sheet);
  return `${isPlain ? sheet : quoteSheet(sheet)}!${area}`;
}

function isAddressLike(name: string): boolean {
  return /^([A-Za-z]{1,3}\d+|[Rr]\d*[Cc]\d*)$/.test(name);
}

function mapCorners(area: string, map: (corner: string) => string | undefined): string {
  const corners = area.split(":").map(map);
  return corners.includes(undefined) ? "#REF!" : corners.join(":");
}

function slideCorner(corner: string, rows: number, columns: number): string | undefined {
  const [, columnMark = "", letters = "", rowMark = "", digits = ""] =
    /^(\$?)([A-Za-z]*)(\$?)(\d*)$/.exec(corner) ?? [];
  const column =
    letters === "" || columnMark !== "" ? letters : columnLettersAt(columnNumber(letters) + columns);
  // Of a whole row, the mark stands before the digits and is read as that of the column.
  const isFixed = rowMark !== "" || (letters === "" && columnMark !== "");
  const row = digits === "" || isFixed ? digits : rowAt(Number(digits) + rows);
  return column === undefined || row === undefined ? undefined : `${columnMark}${column}${rowMark}${row}`;
}

function columnLettersAt(column: number): string | undefined {
  return column >= 1 && column <= MAX_COLUMN ? columnLetters(column) : undefined;
}

function rowAt(row: number): string | undefined {
  return row >= 1 && row <= MAX_ROW ? String(row) : undefined;
}
