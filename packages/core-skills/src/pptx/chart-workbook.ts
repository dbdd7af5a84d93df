import { clip } from "../shared/bounded.ts";
import type { InputFile } from "../shared/input-file.ts";
import type { OfficePackage } from "../shared/office-package.ts";
import { attributeOf, childrenOf } from "../shared/office-xml.ts";
import type { XmlElement } from "../shared/xml.ts";
import {
  type CellAddress,
  type CellRange,
  columnNumber,
  formatAddress,
  formatRange,
} from "../xlsx/cell-address.ts";
import { readCell } from "../xlsx/cell-content.ts";
import { relatedParts } from "../xlsx/formula-place.ts";
import { guardWorkbook } from "../xlsx/guard.ts";
import { recalculateWorkbook } from "../xlsx/recalculate.ts";
import type { Sheet } from "../xlsx/sheet.ts";
import { Workbook } from "../xlsx/workbook.ts";
import { childOf as childNamed, childrenOf as childrenNamed, makeElement, walkXml } from "../xlsx/xml.ts";
import { type ChartTable, writeTable } from "./chart-table.ts";
import type { ChartSpec } from "./slide-spec.ts";

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Counts the cells of a chart's workbook that have a formula, or are outside the table that the chart shows. */
export function lostCells(workbook: OfficePackage, formulas: readonly string[]): number {
  const main = workbook.related("", "officeDocument").find(({ target }) => workbook.has(target))?.target;
  if (main === undefined) return 0;
  const tables = tablesOf(formulas);
  const list = childrenOf(workbook.xml(main)).find(({ localName }) => localName === "sheets");
  return (list === undefined ? [] : childrenOf(list))
    .map((sheet) => {
      const part = workbook.relation(main, attributeOf(sheet, "r:id"))?.target;
      if (part === undefined || !workbook.has(part)) return 0;
      const table = tables.get(sheet.getAttribute("name"));
      return cellsOf(workbook.xml(part)).filter((cell) => !isShown(cell, table)).length;
    })
    .reduce((sum, count) => sum + count, 0);
}

export interface ChangedWorkbook {
  readonly bytes: Uint8Array;
  readonly table: ChartTable;
}

/**
 * Writes the data of a chart into the workbook that it has, and calculates the formulas there. All other cells stay.
 * Returns a sentence if that would overwrite something else.
 */
export function updateWorkbook(
  file: InputFile,
  before: ChartTable,
  chart: ChartSpec,
): ChangedWorkbook | string {
  const workbook = Workbook.open(file);
  const entry = workbook.sheets.find(({ name, hasCells }) => hasCells && name === before.sheet);
  if (entry === undefined) return `it has no sheet ${clip(before.sheet, 40)}`;
  if (workbook.is1904 && chart.isDated) return "it counts days from 1904";
  const after = fitTable(before, chart);
  if (after === undefined) return "the series share one column of x values";
  const sheet = workbook.sheet(entry.name);
  const listed = readListedTable(workbook, entry.part, before);
  if (typeof listed === "string") return listed;
  const [old, next] = [cellsIn(before), cellsIn(after)];
  for (const address of new Map([...old, ...next]).values()) {
    const element = sheet.cell(address);
    if (element === undefined || element.children.length === 0) continue;
    if (sheet.formulaOf({ ...address, element }) !== undefined)
      return `${formatAddress(address)} has a formula`;
    const isHint = HINTS.includes(readCell(element, workbook).value);
    if (!old.has(formatAddress(address)) && !isHint) return `${formatAddress(address)} has other content`;
  }
  for (const [key, address] of old) if (!next.has(key)) sheet.set(address, { kind: "empty" });
  writeTable(sheet, after, chart);
  const problem = listed === undefined ? undefined : fitListedTable(workbook, sheet, listed, after);
  if (problem !== undefined) return problem;
  recalculateWorkbook(workbook);
  const bytes = workbook.toBytes();
  guardWorkbook(workbook.source, bytes, file.path, workbook.edits);
  return { bytes, table: after };
}

/** PowerPoint writes one of these texts below the data of a new chart. */
const HINTS: readonly unknown[] = [
  "To resize chart data range, drag lower right corner of range.",
  "To update the chart, enter data into this table. The data is automatically saved in the chart.",
];

/** The table for other data: further series go to the right. */
function fitTable(before: ChartTable, chart: ChartSpec): ChartTable | undefined {
  const rows = Math.max(chart.categories.length, ...chart.series.map(({ values }) => values.length));
  const isScatter = chart.kind === "scatter";
  const isShared = new Set(before.series.map(({ x }) => x)).size === 1;
  const haveOneX = new Set(chart.series.map(({ x }) => String(x))).size === 1;
  if (isScatter && isShared && before.series.length > 1 && !haveOneX) return undefined;
  const x = before.series[0]?.x;
  let last = Math.max(before.categories, ...before.series.flatMap((each) => [each.values, each.x ?? 0]));
  const series = chart.series.map((_, index) => {
    const known = before.series[index];
    if (known !== undefined) return known;
    const own = isScatter && !haveOneX ? ++last : x;
    return { values: ++last, x: isScatter ? own : undefined };
  });
  return { ...before, series, rows };
}

function cellsIn(table: ChartTable): ReadonlyMap<string, CellAddress> {
  const columns = new Set([
    ...(table.series.some(({ x }) => x === undefined) ? [table.categories] : []),
    ...table.series.flatMap(({ values, x }) => (x === undefined ? [values] : [x, values])),
  ]);
  const heads = table.series.map(({ values }) => ({ row: table.top - 1, column: values }));
  const values = [...columns].flatMap((column) =>
    Array.from({ length: table.rows }, (_, index) => ({ row: table.top + index, column })),
  );
  return new Map([...heads, ...values].map((address) => [formatAddress(address), address]));
}

/** The part of the Excel table around the data, as PowerPoint makes one; a sentence if there is another table. */
function readListedTable(
  workbook: Workbook,
  sheet: string,
  before: ChartTable,
): string | undefined | { readonly part: string } {
  const parts = relatedParts(workbook, sheet, "table");
  const [part] = parts;
  if (part === undefined) return undefined;
  const table = workbook.parts.read(part);
  const isPlain =
    table !== undefined &&
    parts.length === 1 &&
    table.attributes.get("ref") === formatRange(boxOf(before)) &&
    Number(table.attributes.get("totalsRowCount") ?? 0) === 0 &&
    ![...walkXml(table)].some(({ localName }) => localName === "calculatedColumnFormula");
  return isPlain ? { part } : "its cells are an Excel table of another shape";
}

/** Gives the Excel table the new size, and its columns the names of their header cells. */
function fitListedTable(
  workbook: Workbook,
  sheet: Sheet,
  { part }: { readonly part: string },
  after: ChartTable,
): string | undefined {
  const table = workbook.parts.change(part);
  const list = childNamed(table, "tableColumns");
  const columns = childrenNamed(list, "tableColumn");
  const box = boxOf(after);
  const names = Array.from({ length: box.right - box.left + 1 }, (_, index) => {
    const element = sheet.cell({ row: box.top, column: box.left + index });
    const text = element === undefined ? "" : String(readCell(element, workbook).value ?? "");
    // The header cell of the categories may be empty, but the table has a name for it.
    return text === "" ? (columns[index]?.attributes.get("name") ?? "") : text;
  });
  const isUsable = names.every((name) => name !== "" && !/[\r\n]/.test(name));
  if (list === undefined || !isUsable || new Set(names.map((name) => name.toLowerCase())).size < names.length)
    return "the columns of its Excel table need different names";
  let id = Math.max(0, ...columns.map((each) => Number(each.attributes.get("id") ?? 0)));
  list.children = names.map((name, index) => {
    const column = columns[index] ?? makeElement("tableColumn", { id: String(++id) });
    column.setAttribute("name", name);
    return column;
  });
  list.setAttribute("count", String(names.length));
  table.setAttribute("ref", formatRange(box));
  childNamed(table, "autoFilter")?.setAttribute("ref", formatRange(box));
  return undefined;
}

function boxOf(table: ChartTable): CellRange {
  const columns = [...cellsIn(table).values()].map(({ column }) => column);
  const [left, right] = [Math.min(...columns), Math.max(...columns)];
  return { top: table.top - 1, bottom: table.top + table.rows - 1, left, right };
}

/** The smallest box on each sheet around all cells that the formulas name. */
function tablesOf(formulas: readonly string[]): ReadonlyMap<string, Box> {
  const tables = new Map<string, Box>();
  for (const formula of formulas) {
    const found = /^(?:'((?:[^']|'')+)'|([^'!]+))!\$?([A-Z]{1,3})\$?(\d+)(?::\$?([A-Z]{1,3})\$?(\d+))?$/.exec(
      formula,
    );
    if (found === null) continue;
    const [, quoted, plain = "", column = "", row = "", lastColumn = column, lastRow = row] = found;
    const name = quoted?.replaceAll("''", "'") ?? plain;
    const known = tables.get(name);
    tables.set(name, {
      left: Math.min(known?.left ?? Number.POSITIVE_INFINITY, columnNumber(column)),
      right: Math.max(known?.right ?? 0, columnNumber(lastColumn)),
      top: Math.min(known?.top ?? Number.POSITIVE_INFINITY, Number(row)),
      bottom: Math.max(known?.bottom ?? 0, Number(lastRow)),
    });
  }
  return tables;
}

/** The cells with a value or a formula. */
function cellsOf(sheet: XmlElement): readonly XmlElement[] {
  return childrenOf(sheet)
    .filter(({ localName }) => localName === "sheetData")
    .flatMap((data) => childrenOf(data))
    .flatMap((row) => childrenOf(row))
    .filter((cell) => childrenOf(cell).length > 0);
}

function isShown(cell: XmlElement, table: Box | undefined): boolean {
  if (childrenOf(cell).some(({ localName }) => localName === "f")) return false;
  const found = /^([A-Z]{1,3})(\d+)$/.exec(cell.getAttribute("r"));
  if (found === null || table === undefined) return false;
  const [column, row] = [columnNumber(found[1] ?? ""), Number(found[2])];
  return column >= table.left && column <= table.right && row >= table.top && row <= table.bottom;
}
