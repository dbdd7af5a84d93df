import type { JsonObject, JsonValue } from "../shared/command.ts";
import { ScriptError } from "../shared/script-error.ts";
import { MAX_COLUMN } from "./cell-address.ts";
import { readCell } from "./cell-content.ts";
import { readDataInput } from "./cell-input.ts";
import { extendFormula, slideFormula } from "./formula.ts";
import { mapFormulas } from "./formula-place.ts";
import { isJsonObject } from "./json-shape.ts";
import { changeText } from "./replace-text.ts";
import { shiftRows } from "./row-shift.ts";
import type { PlacedCell, Sheet } from "./sheet.ts";
import { mergeRange } from "./sheet-part.ts";
import type { Workbook } from "./workbook.ts";
import { childOf, copyElement, textOf } from "./xml.ts";

export interface Filling {
  /** Cells that got a value. */
  readonly filled: number;
  /** Rows that were added for lists. */
  readonly rows: number;
  /** Placeholders without a value in the data. */
  readonly missing: readonly string[];
}

const PLACEHOLDER = /\{\{\s*([\p{L}\p{N}_.-]+)\s*\}\}/gu;
const LIST_ROWS = 10_000;

/** Fills all placeholders of a workbook. Those without data are left empty and named. */
export function fillTemplate(workbook: Workbook, data: JsonObject): Filling {
  const missing = new Set<string>();
  let [filled, rows] = [0, 0];
  for (const sheet of workbook.grids) {
    // From the bottom, so that inserted rows do not move rows that are still to be filled.
    for (const row of [...placeholderRows(workbook, sheet)].reverse()) {
      const list = listOf(row.paths, data);
      const items = list === undefined ? [data] : list.items.map((item) => ({ ...data, [list.name]: item }));
      rows += multiplyRow(workbook, sheet, row.number, items.length);
      const scopes = items.length === 0 ? [{ ...data, [list?.name ?? ""]: {} }] : items;
      for (const [index, scope] of scopes.entries()) {
        const report = items.length === 0 ? new Set<string>() : missing;
        filled += fillRow(workbook, sheet, row.number + index, scope, report);
      }
    }
  }
  return { filled, rows, missing: [...missing] };
}

interface PlaceholderRow {
  readonly number: number;
  readonly paths: readonly string[];
}

function placeholderRows(workbook: Workbook, sheet: Sheet): readonly PlaceholderRow[] {
  const rows = new Map<number, string[]>();
  for (const { row, element } of sheet.cells()) {
    const { type, value } = readCell(element, workbook);
    if (type !== "text" || childOf(element, "f") !== undefined) continue;
    const paths = [...String(value).matchAll(PLACEHOLDER)].map(([, path = ""]) => path);
    if (paths.length > 0) rows.set(row, [...(rows.get(row) ?? []), ...paths]);
  }
  return [...rows].map(([number, paths]) => ({ number, paths }));
}

/** The list that the row is about, if it is about one. */
function listOf(
  paths: readonly string[],
  data: JsonObject,
): { readonly name: string; readonly items: readonly JsonValue[] } | undefined {
  const names = new Set(
    paths.map((path) => path.split(".")[0] ?? "").filter((name) => Array.isArray(data[name])),
  );
  const [name, second] = names;
  if (name === undefined) return undefined;
  if (second !== undefined) {
    throw new ScriptError("TWO_LISTS", `One row of the template is about ${name} and about ${second}.`, {
      hint: "Put them into rows of their own.",
    });
  }
  const items = data[name];
  if (!Array.isArray(items)) return undefined;
  if (items.length <= LIST_ROWS) return { name, items };
  throw new ScriptError(
    "TOO_MANY_ROWS",
    `${name} has ${items.length} items; at most ${LIST_ROWS} become rows.`,
  );
}

/** Repeats a row. Returns the number of added rows. */
function multiplyRow(workbook: Workbook, sheet: Sheet, row: number, count: number): number {
  const added = count - 1;
  if (added < 1) return 0;
  shiftRows(workbook, { sheet: sheet.name, at: row + 1, count: added });
  const cells = [...sheet.cells({ top: row, bottom: row, left: 1, right: MAX_COLUMN })];
  const own = new Map(cells.map((each) => [each.column, sheet.formulaOf(each)]));
  const extension = { sheet: sheet.name, at: row, count: added };
  mapFormulas(workbook, (formula, home) => extendFormula(formula, extension, home ?? ""));
  for (const { column, element } of cells) {
    const formula = childOf(element, "f");
    // The formulas of the row itself are about this row alone.
    if (formula !== undefined) formula.children = [own.get(column) ?? ""];
  }
  const merges = sheet.merges().filter(({ top, bottom }) => top === row && bottom === row);
  for (let index = 1; index <= added; index += 1) {
    copyRow(sheet, cells, row + index, index);
    for (const merge of merges) mergeRange(sheet.root, { ...merge, top: row + index, bottom: row + index });
  }
  return added;
}

function copyRow(sheet: Sheet, cells: readonly PlacedCell[], to: number, rows: number): void {
  for (const { row, column, element } of cells) {
    const target = sheet.make({ row: to, column });
    const copy = copyElement(element);
    for (const [name, value] of copy.attributes) if (name !== "r") target.attributes.set(name, value);
    target.children = copy.children;
    const formula = childOf(target, "f");
    if (formula !== undefined) formula.children = [slideFormula(textOf(formula), rows, 0)];
    copyHeight(sheet, row, to);
  }
}

function copyHeight(sheet: Sheet, from: number, to: number): void {
  for (const name of ["ht", "customHeight"]) {
    const value = sheet.row(from)?.attributes.get(name);
    if (value !== undefined) sheet.row(to)?.attributes.set(name, value);
  }
}

function fillRow(
  workbook: Workbook,
  sheet: Sheet,
  row: number,
  data: JsonObject,
  missing: Set<string>,
): number {
  let count = 0;
  for (const placed of [...sheet.cells({ top: row, bottom: row, left: 1, right: MAX_COLUMN })]) {
    if (childOf(placed.element, "f") !== undefined) continue;
    const { type, value } = readCell(placed.element, workbook);
    if (type === "text" && fillCell(workbook, sheet, placed, String(value), data, missing)) count += 1;
  }
  return count;
}

function fillCell(
  workbook: Workbook,
  sheet: Sheet,
  placed: PlacedCell,
  text: string,
  data: JsonObject,
  missing: Set<string>,
): boolean {
  const find = (path: string) => {
    const value = lookUp(data, path);
    if (value === undefined) missing.add(path);
    return value;
  };
  const whole = new RegExp(`^${PLACEHOLDER.source}$`, "u").exec(text);
  if (whole?.[1] !== undefined) {
    sheet.set(placed, readDataInput(find(whole[1]), `{{${whole[1]}}}`));
    return true;
  }
  return changeText(workbook, sheet, placed, (part) =>
    part.replace(PLACEHOLDER, (_, path: string) => asText(find(path))),
  );
}

/** Follows `a.b.c` through objects. */
function lookUp(data: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = data;
  for (const key of path.split(".")) {
    value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

function asText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
