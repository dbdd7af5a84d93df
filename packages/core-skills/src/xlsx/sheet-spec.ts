import type { JsonObject, JsonValue } from "../shared/command.ts";
import { ScriptError, usageError } from "../shared/script-error.ts";
import { type CellRange, MAX_COLUMN, MAX_ROW, rangesMeet, readAddress, readRange } from "./cell-address.ts";
import { type CellInput, readCellInput } from "./cell-input.ts";
import {
  isJsonObject,
  optionalBoolean,
  optionalString,
  readList,
  readNumber,
  readObject,
  readString,
  rejectUnknown,
} from "./json-shape.ts";
import type { Sheet } from "./sheet.ts";
import { freezePanes, mergeRange, setAutoFilter, setColumnWidth } from "./sheet-part.ts";
import type { StyleTable } from "./style-table.ts";
import type { Workbook } from "./workbook.ts";

export const SHEET_KEYS = ["name", "columns", "rows", "freeze", "autoFilter", "merge"] as const;

interface ColumnSpec {
  readonly header: string;
  readonly key: string;
  readonly width: number | undefined;
  readonly format: string | undefined;
}

/** Adds a sheet as a caller describes it. Returns the number of rows, including the header. */
export function addSheetFromSpec(workbook: Workbook, spec: JsonObject, where: string): number {
  rejectUnknown(spec, SHEET_KEYS, where);
  const rows = spec["rows"] === undefined ? [] : readList(spec["rows"], `${where}.rows`);
  const columns = readColumns(spec["columns"], rows, where);
  const entry = workbook.addSheet(readString(spec["name"], `${where}.name`));
  const sheet = workbook.sheet(entry.name);
  const table = readTable(rows, columns, where);
  fillSheet(sheet, table, columns, workbook.styles);
  const freeze = optionalString(spec["freeze"], `${where}.freeze`) ?? (columns.length > 0 ? "A2" : undefined);
  if (freeze !== undefined) freezePanes(sheet.root, readAddress(freeze));
  for (const range of spec["merge"] === undefined ? [] : readList(spec["merge"], `${where}.merge`)) {
    addMerge(sheet, readRange(readString(range, `${where}.merge`)));
  }
  const used = sheet.usedRange();
  const isFiltered = optionalBoolean(spec["autoFilter"], `${where}.autoFilter`) ?? false;
  if (isFiltered && used !== undefined) setAutoFilter(sheet.root, used);
  return table.length;
}

export function addMerge(sheet: Sheet, range: CellRange): void {
  if (range.top === range.bottom && range.left === range.right)
    throw usageError("One cell cannot be merged.");
  if (sheet.merges().some((each) => rangesMeet(each, range))) {
    throw new ScriptError("CELL_MERGED", "The range meets cells that are merged already.");
  }
  mergeRange(sheet.root, range);
}

/** Rows for a sheet that is there: lists of values, or objects by the texts of its header. */
export function readRows(
  value: JsonValue | undefined,
  headers: readonly string[],
  where: string,
): readonly (readonly CellInput[])[] {
  const columns = headers.map((header) => ({ header, key: header, width: undefined, format: undefined }));
  return readList(value, where).map((row, index) => readRow(row, columns, `${where}[${index}]`));
}

/** What a header looks like. */
export const HEADER_STYLE = { bold: true, fill: "D9E1F2" } as const;

function fillSheet(
  sheet: Sheet,
  table: readonly (readonly CellInput[])[],
  columns: readonly ColumnSpec[],
  styles: StyleTable,
): void {
  for (const [index, inputs] of table.entries()) {
    const isHeader = columns.length > 0 && index === 0;
    for (const [position, input] of inputs.entries()) {
      if (input.kind === "empty") continue;
      const address = { row: index + 1, column: position + 1 };
      const format = isHeader ? undefined : columns[position]?.format;
      sheet.set(address, format === undefined ? input : withFormat(input, format));
      if (isHeader) sheet.make(address).attributes.set("s", String(styles.derive(0, HEADER_STYLE)));
    }
  }
  for (const [position, width] of widthsOf(table, columns).entries()) {
    setColumnWidth(sheet.root, position + 1, position + 1, width);
  }
}

function withFormat(input: CellInput, format: string): CellInput {
  return input.kind === "empty" || input.kind === "boolean" || input.kind === "text"
    ? input
    : { ...input, format };
}

const WIDEST = 60;
const NARROWEST = 8;
const SAMPLED = 1000;

/** Column widths that fit the values of the first rows. */
function widthsOf(
  table: readonly (readonly CellInput[])[],
  columns: readonly ColumnSpec[],
): readonly number[] {
  const widths: number[] = [];
  for (const inputs of table.slice(0, SAMPLED)) {
    for (const [position, input] of inputs.entries()) {
      const wanted = Math.min(WIDEST, lengthOf(input) + 2);
      widths[position] = Math.max(widths[position] ?? NARROWEST, wanted);
    }
  }
  return Array.from(widths, (width, position) => columns[position]?.width ?? width ?? NARROWEST);
}

function lengthOf(input: CellInput): number {
  switch (input.kind) {
    case "text":
      return Math.max(...input.text.split("\n").map((line) => line.length));
    case "number":
      return String(input.number).length;
    case "date":
      return input.iso.length;
    default:
      return NARROWEST;
  }
}

function readColumns(
  value: JsonValue | undefined,
  rows: readonly JsonValue[],
  where: string,
): readonly ColumnSpec[] {
  if (value !== undefined) return readList(value, `${where}.columns`).map((each) => readColumn(each, where));
  const keys = new Set(rows.flatMap((row) => (isJsonObject(row) ? Object.keys(row) : [])));
  return [...keys].map((key) => ({ header: key, key, width: undefined, format: undefined }));
}

function readColumn(value: JsonValue, where: string): ColumnSpec {
  if (typeof value === "string") return { header: value, key: value, width: undefined, format: undefined };
  const column = readObject(value, `${where}.columns`);
  rejectUnknown(column, ["header", "key", "width", "format"], `${where}.columns`);
  const header = readString(column["header"], `${where}.columns.header`);
  const width = column["width"];
  return {
    header,
    key: optionalString(column["key"], `${where}.columns.key`) ?? header,
    width:
      width === undefined ? undefined : readNumber(width, `${where}.columns.width`, { min: 0, max: 255 }),
    format: optionalString(column["format"], `${where}.columns.format`),
  };
}

function readTable(
  rows: readonly JsonValue[],
  columns: readonly ColumnSpec[],
  where: string,
): readonly (readonly CellInput[])[] {
  const header = columns.map(({ header: text }): CellInput => ({ kind: "text", text }));
  const table = rows.map((row, index) => readRow(row, columns, `${where}.rows[${index}]`));
  if (table.length >= MAX_ROW) throw usageError(`${where} has more rows than a sheet.`);
  return columns.length > 0 ? [header, ...table] : table;
}

function readRow(row: JsonValue, columns: readonly ColumnSpec[], where: string): readonly CellInput[] {
  if (isJsonObject(row)) {
    rejectUnknown(
      row,
      columns.map(({ key }) => key),
      where,
    );
    return columns.map(({ key }) => readCellInput(row[key], where));
  }
  const list = readList(row, where);
  if (list.length > MAX_COLUMN) throw usageError(`${where} has more columns than a sheet.`);
  return list.map((value) => readCellInput(value, where));
}
