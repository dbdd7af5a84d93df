import { readInteger } from "../shared/bounded.ts";
import { defineCommand, type JsonObject, type JsonValue } from "../shared/command.ts";
import { readInput } from "../shared/input-file.ts";
import { usageError } from "../shared/script-error.ts";
import { type CellRange, formatRange, MAX_COLUMN, MAX_ROW, readRange } from "./cell-address.ts";
import { formatCsv } from "./csv.ts";
import type { Sheet } from "./sheet.ts";
import {
  columnNames,
  countUncalculated,
  type PlainValue,
  readCells,
  readRowValues,
} from "./sheet-reading.ts";
import { Workbook } from "./workbook.ts";

export const readCommand = defineCommand({
  name: "read",
  summary: "Read cells of one sheet as JSON or CSV",
  operands: { label: "<file>", min: 1, max: 1 },
  options: {
    sheet: { type: "string", value: "name", help: "The sheet (default: the first)" },
    range: { type: "string", value: "A1:D20", help: "Only these cells (default: all that are in use)" },
    as: { type: "string", value: "shape", help: "rows (default), records, cells or csv" },
    formulas: { type: "boolean", help: "Show formulas instead of their results (rows, records, csv)" },
    limit: {
      type: "string",
      value: "n",
      help: "At most this many rows, or cells with --as cells (default 500)",
    },
    offset: { type: "string", value: "n", help: "Leave out this many first, to read on" },
  },
  details: `
rows     [["Name","Total"],["Ada",12.5]]
records  [{"Name":"Ada","Total":12.5}]             the first row of the range has the names
cells    [{"cell":"B2","type":"number","value":12.5,"formula":"=SUM(B3:B9)","format":"0.00"}]
csv      "Name,Total\\nAda,12.5\\n"

Dates are ISO text. The value of a formula is the result that was stored with it; null and "uncalculated" mean that
there is none. When "truncated" is true, read on with --offset set to "nextOffset".`,
  async run({ operands: [path = ""], options }, io): Promise<JsonObject> {
    const workbook = Workbook.open(await readInput(path, io));
    const sheet = workbook.sheet(options.sheet);
    const range = chooseRange(sheet, options.range);
    const limit = readInteger("limit", options.limit, { min: 1, max: 100_000 }) ?? 500;
    const offset = readInteger("offset", options.offset, { min: 0, max: MAX_ROW }) ?? 0;
    const head = { sheet: sheet.name, range: range === undefined ? null : formatRange(range) };
    const shape = options.as ?? "rows";
    if (!SHAPES.includes(shape)) throw usageError(`--as is one of ${SHAPES.join(", ")}.`);
    if (range === undefined)
      return { ...head, [shape]: shape === "csv" ? "" : [], total: 0, truncated: false };
    const uncalculated = countUncalculated(sheet, range);
    const source = { workbook, sheet, range, hasFormulas: options.formulas ?? false };
    return {
      ...head,
      ...readShape(shape, source, offset, limit),
      ...(uncalculated === 0 ? {} : { uncalculated }),
    };
  },
});

const SHAPES = ["rows", "records", "cells", "csv"];

/** Characters of JSON that one answer holds, so that it fits into what callers show. */
const ANSWER_LENGTH = 100_000;

interface Source {
  readonly workbook: Workbook;
  readonly sheet: Sheet;
  readonly range: CellRange;
  readonly hasFormulas: boolean;
}

/** Limits whole rows and columns to their used part, so `A:C` does not mean a million rows. */
function chooseRange(sheet: Sheet, wanted: string | undefined): CellRange | undefined {
  const used = sheet.usedRange();
  if (wanted === undefined) return used;
  const range = readRange(wanted);
  const bottom = range.bottom === MAX_ROW ? used?.bottom : range.bottom;
  const right = range.right === MAX_COLUMN ? used?.right : range.right;
  if (bottom === undefined || right === undefined || bottom < range.top || right < range.left)
    return undefined;
  return { ...range, bottom, right };
}

function readShape(shape: string, source: Source, offset: number, limit: number): JsonObject {
  const { workbook, sheet, range, hasFormulas } = source;
  if (shape === "cells") {
    const cells = readCells(workbook, sheet, range);
    const { items, ...rest } = take(cells, offset, limit, (cell) => ({ ...cell }));
    return { cells: items, ...rest };
  }
  const rows = readRowValues(workbook, sheet, range, hasFormulas);
  if (shape === "records") {
    const names = columnNames(rows.next().value ?? [], range.left);
    const { items, ...rest } = take(rows, offset, limit, (row) => toRecord(names, row));
    return { records: items, ...rest };
  }
  const { items, ...rest } = take(rows, offset, limit, (row) => [...row]);
  if (shape === "rows") return { rows: items, ...rest };
  return { csv: formatCsv(items, { delimiter: ",", isRaw: false }), ...rest };
}

function toRecord(names: readonly string[], row: readonly PlainValue[]): JsonObject {
  return Object.fromEntries(names.map((name, index) => [name, row[index] ?? null]));
}

/** A part of what there is, within the bounds of an answer. */
function take<Item, Shown extends JsonValue>(
  items: Iterable<Item>,
  offset: number,
  limit: number,
  show: (item: Item) => Shown,
) {
  const taken: Shown[] = [];
  let [total, length, isFull] = [0, 0, false];
  for (const item of items) {
    total += 1;
    if (isFull || total <= offset) continue;
    const shown = show(item);
    length += JSON.stringify(shown).length + 1;
    isFull = taken.length === limit || (taken.length > 0 && length > ANSWER_LENGTH);
    if (!isFull) taken.push(shown);
  }
  const next = offset + taken.length;
  return { items: taken, total, truncated: next < total, ...(next < total ? { nextOffset: next } : {}) };
}
