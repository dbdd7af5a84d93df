import { clip } from "../shared/bounded.ts";
import type { JsonObject, JsonValue } from "../shared/command.ts";
import { usageError } from "../shared/script-error.ts";
import { addChart, CHART_KEYS } from "./add-chart.ts";
import { MAX_COLUMN, MAX_ROW, readAddress, readRange } from "./cell-address.ts";
import { readCell } from "./cell-content.ts";
import { type CellInput, readCellInput } from "./cell-input.ts";
import { addHighlight, addValidation, HIGHLIGHT_KEYS, VALIDATION_KEYS } from "./cell-rule.ts";
import { formatCells, STYLE_KEYS } from "./format-cells.ts";
import {
  optionalBoolean,
  optionalString,
  readList,
  readNumber,
  readObject,
  readString,
  rejectUnknown,
} from "./json-shape.ts";
import { replaceText } from "./replace-text.ts";
import { shiftRows } from "./row-shift.ts";
import type { ResultEffect } from "./save.ts";
import type { Sheet } from "./sheet.ts";
import { copySheet } from "./sheet-copy.ts";
import { moveSheet, removeSheet, renameSheet } from "./sheet-list.ts";
import { freezePanes, setColumnWidth } from "./sheet-part.ts";
import { addMerge, addSheetFromSpec, readRows, SHEET_KEYS } from "./sheet-spec.ts";
import { extendTable } from "./table-range.ts";
import type { Workbook } from "./workbook.ts";

/** One kind of step of an edit. */
interface Operation {
  readonly keys: readonly string[];
  /** What the step does to stored results; `stale` unless given. */
  readonly effect?: ResultEffect;
  apply(step: JsonObject, workbook: Workbook, where: string): JsonObject;
}

/** Applies the steps in order. Returns a report for each, and their effect on stored results. */
export function applySteps(
  workbook: Workbook,
  steps: readonly JsonValue[],
): { readonly done: readonly JsonObject[]; readonly effect: ResultEffect } {
  const effects = new Set<ResultEffect>();
  const done = steps.map((value, index) => {
    const where = `steps[${index}]`;
    const step = readObject(value, where);
    const name = readString(step["op"], `${where}.op`);
    const operation = operations.get(name);
    if (operation === undefined) {
      throw usageError(
        `${where}: there is no op ${clip(name, 40)}.`,
        `Ops are ${[...operations.keys()].join(", ")}.`,
      );
    }
    rejectUnknown(step, ["op", ...operation.keys], where);
    effects.add(operation.effect ?? "stale");
    return { op: name, ...operation.apply(step, workbook, where) };
  });
  const effect = effects.has("stale") ? "stale" : effects.has("sheets") ? "sheets" : "kept";
  return { done, effect };
}

/** Every step that an edit can have. */
const operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ["set", { keys: ["sheet", "cell", "value", "values"], apply: setValues }],
  ["append", { keys: ["sheet", "rows"], apply: appendRows }],
  ["replace", { keys: ["sheet", "find", "with", "ignoreCase", "wholeCell"], apply: replace }],
  ["insert-rows", { keys: ["sheet", "at", "count", "rows"], apply: insertRows }],
  ["delete-rows", { keys: ["sheet", "at", "count"], apply: deleteRows }],
  ["add-sheet", { keys: SHEET_KEYS, effect: "sheets", apply: addSheet }],
  ["copy-sheet", { keys: ["sheet", "to"], effect: "sheets", apply: copy }],
  ["rename-sheet", { keys: ["sheet", "to"], effect: "sheets", apply: rename }],
  ["move-sheet", { keys: ["sheet", "to"], effect: "sheets", apply: move }],
  ["delete-sheet", { keys: ["sheet"], apply: remove }],
  ["format", { keys: ["sheet", "range", ...STYLE_KEYS], effect: "kept", apply: format }],
  ["width", { keys: ["sheet", "columns", "width"], effect: "kept", apply: setWidth }],
  ["freeze", { keys: ["sheet", "cell"], effect: "kept", apply: freeze }],
  ["chart", { keys: CHART_KEYS, effect: "kept", apply: chart }],
  ["highlight", { keys: HIGHLIGHT_KEYS, effect: "kept", apply: highlight }],
  ["validation", { keys: VALIDATION_KEYS, effect: "kept", apply: validate }],
  ["merge", { keys: ["sheet", "range"], effect: "kept", apply: merge }],
]);

function sheetOf(step: JsonObject, workbook: Workbook, where: string): Sheet {
  return workbook.sheet(optionalString(step["sheet"], `${where}.sheet`));
}

function setValues(step: JsonObject, workbook: Workbook, where: string): JsonObject {
  const sheet = sheetOf(step, workbook, where);
  const start = readAddress(readString(step["cell"], `${where}.cell`));
  const rows = step["values"];
  const table: readonly (readonly CellInput[])[] =
    rows === undefined
      ? [[readCellInput(step["value"], `${where}.value`)]]
      : readList(rows, `${where}.values`).map((row) =>
          readList(row, `${where}.values`).map((value) => readCellInput(value, `${where}.values`)),
        );
  return { cells: writeTable(sheet, start.row, start.column, table) };
}

function appendRows(step: JsonObject, workbook: Workbook, where: string): JsonObject {
  const sheet = sheetOf(step, workbook, where);
  const rows = readRows(step["rows"], headersOf(workbook, sheet), `${where}.rows`);
  const used = sheet.usedRange();
  const [row, column] = used === undefined ? [1, 1] : [used.bottom + 1, used.left];
  for (const index of rows.keys()) copyLook(sheet, row - 1, row + index);
  writeTable(sheet, row, column, rows);
  extendTable(workbook, sheet.name, row - 1, rows.length);
  return { rows: rows.length, firstRow: row };
}

/** The texts of the first row that is in use. */
function headersOf(workbook: Workbook, sheet: Sheet): readonly string[] {
  const used = sheet.usedRange();
  if (used === undefined) return [];
  return Array.from({ length: used.right - used.left + 1 }, (_, index) => {
    const element = sheet.cell({ row: used.top, column: used.left + index });
    return element === undefined ? "" : String(readCell(element, workbook).value ?? "");
  });
}

function writeTable(
  sheet: Sheet,
  row: number,
  column: number,
  table: readonly (readonly CellInput[])[],
): number {
  const isOutside =
    row + table.length - 1 > MAX_ROW || table.some((each) => column + each.length - 1 > MAX_COLUMN);
  if (isOutside) throw usageError("The values do not fit on the sheet.");
  let count = 0;
  for (const [down, inputs] of table.entries()) {
    for (const [across, input] of inputs.entries()) {
      sheet.set({ row: row + down, column: column + across }, input);
      count += 1;
    }
  }
  return count;
}

function replace(step: JsonObject, workbook: Workbook, where: string): JsonObject {
  const only = optionalString(step["sheet"], `${where}.sheet`);
  const sheets = only === undefined ? workbook.grids : [workbook.sheet(only)];
  const replacement = {
    find: readString(step["find"], `${where}.find`),
    with: step["with"] === "" ? "" : readString(step["with"], `${where}.with`),
    ignoreCase: optionalBoolean(step["ignoreCase"], `${where}.ignoreCase`) ?? false,
    wholeCell: optionalBoolean(step["wholeCell"], `${where}.wholeCell`) ?? false,
  };
  return { cells: sheets.reduce((sum, sheet) => sum + replaceText(workbook, sheet, replacement), 0) };
}

const ROW_NUMBER = { min: 1, max: MAX_ROW };

function insertRows(step: JsonObject, workbook: Workbook, where: string): JsonObject {
  const sheet = sheetOf(step, workbook, where);
  const at = readNumber(step["at"], `${where}.at`, ROW_NUMBER);
  const rows =
    step["rows"] === undefined ? [] : readRows(step["rows"], headersOf(workbook, sheet), `${where}.rows`);
  const count = readNumber(step["count"] ?? Math.max(1, rows.length), `${where}.count`, ROW_NUMBER);
  shiftRows(workbook, { sheet: sheet.name, at, count });
  for (let index = 0; index < count; index += 1) copyLook(sheet, at - 1, at + index);
  writeTable(sheet, at, sheet.usedRange()?.left ?? 1, rows);
  return { rows: count };
}

/** New rows look like the one above them. */
function copyLook(sheet: Sheet, from: number, to: number): void {
  for (const { column, element } of sheet.cells({ top: from, bottom: from, left: 1, right: MAX_COLUMN })) {
    const style = element.attributes.get("s");
    if (style !== undefined) sheet.make({ row: to, column }).attributes.set("s", style);
  }
}

function deleteRows(step: JsonObject, workbook: Workbook, where: string): JsonObject {
  const at = readNumber(step["at"], `${where}.at`, ROW_NUMBER);
  const count = readNumber(step["count"] ?? 1, `${where}.count`, ROW_NUMBER);
  shiftRows(workbook, { sheet: sheetOf(step, workbook, where).name, at, count: -count });
  return { rows: count };
}

function addSheet({ op: _, ...spec }: JsonObject, workbook: Workbook, where: string): JsonObject {
  return { rows: addSheetFromSpec(workbook, spec, where) };
}

function copy(step: JsonObject, workbook: Workbook, where: string): JsonObject {
  const to = readString(step["to"], `${where}.to`);
  return { ...copySheet(workbook, sheetOf(step, workbook, where).name, workbook, to) };
}

function rename(step: JsonObject, workbook: Workbook, where: string): JsonObject {
  renameSheet(workbook, readString(step["sheet"], `${where}.sheet`), readString(step["to"], `${where}.to`));
  return {};
}

function move(step: JsonObject, workbook: Workbook, where: string): JsonObject {
  const to = readNumber(step["to"], `${where}.to`, { min: 1, max: workbook.sheets.length });
  moveSheet(workbook, readString(step["sheet"], `${where}.sheet`), to);
  return {};
}

function remove(step: JsonObject, workbook: Workbook, where: string): JsonObject {
  return { brokenFormulas: removeSheet(workbook, readString(step["sheet"], `${where}.sheet`)) };
}

function format(step: JsonObject, workbook: Workbook, where: string): JsonObject {
  const range = readRange(readString(step["range"], `${where}.range`));
  return { cells: formatCells(sheetOf(step, workbook, where), range, step, workbook.styles, where) };
}

function setWidth(step: JsonObject, workbook: Workbook, where: string): JsonObject {
  const columns = readString(step["columns"], `${where}.columns`);
  const { left, right } = readRange(columns.includes(":") ? columns : `${columns}:${columns}`);
  const width = readNumber(step["width"], `${where}.width`, { min: 0, max: 255 });
  const sheet = sheetOf(step, workbook, where);
  workbook.parts.change(workbook.find(sheet.name).part);
  setColumnWidth(sheet.root, left, right, width);
  return { columns: right - left + 1 };
}

function freeze(step: JsonObject, workbook: Workbook, where: string): JsonObject {
  const sheet = sheetOf(step, workbook, where);
  workbook.parts.change(workbook.find(sheet.name).part);
  freezePanes(sheet.root, readAddress(readString(step["cell"], `${where}.cell`)));
  return {};
}

function merge(step: JsonObject, workbook: Workbook, where: string): JsonObject {
  const sheet = sheetOf(step, workbook, where);
  workbook.parts.change(workbook.find(sheet.name).part);
  addMerge(sheet, readRange(readString(step["range"], `${where}.range`)));
  return {};
}

function chart(step: JsonObject, workbook: Workbook, where: string): JsonObject {
  return addChart(workbook, sheetOf(step, workbook, where), step, where);
}

function highlight(step: JsonObject, workbook: Workbook, where: string): JsonObject {
  const sheet = sheetOf(step, workbook, where);
  workbook.parts.change(workbook.find(sheet.name).part);
  return addHighlight(sheet, workbook.styles, step, where);
}

function validate(step: JsonObject, workbook: Workbook, where: string): JsonObject {
  const sheet = sheetOf(step, workbook, where);
  workbook.parts.change(workbook.find(sheet.name).part);
  return addValidation(sheet, step, where);
}
