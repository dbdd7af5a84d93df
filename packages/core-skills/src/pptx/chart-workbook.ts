import { clip } from "../shared/bounded.ts";
import type { InputFile } from "../shared/input-file.ts";
import type { OfficePackage } from "../shared/office-package.ts";
import { attributeOf, childrenOf } from "../shared/office-xml.ts";
import type { XmlElement } from "../shared/xml.ts";
import { type CellAddress, columnNumber, formatAddress } from "../xlsx/cell-address.ts";
import { readCell } from "../xlsx/cell-content.ts";
import { guardWorkbook } from "../xlsx/guard.ts";
import { recalculateWorkbook } from "../xlsx/recalculate.ts";
import type { Sheet } from "../xlsx/sheet.ts";
import { Workbook } from "../xlsx/workbook.ts";
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
  const isSame = after.rows === before.rows && String(after.series.map(at)) === String(before.series.map(at));
  const hasTable = workbook.parts.relations(entry.part).some(({ kind }) => kind === "table");
  const sheet = workbook.sheet(entry.name);
  if (hasTable && !(isSame && hasNames(sheet, workbook, before, chart)))
    return "its cells are an Excel table";
  const [old, next] = [cellsIn(before), cellsIn(after)];
  for (const address of new Map([...old, ...next]).values()) {
    const element = sheet.cell(address);
    if (element === undefined || element.children.length === 0) continue;
    if (sheet.formulaOf({ ...address, element }) !== undefined)
      return `${formatAddress(address)} has a formula`;
    if (!old.has(formatAddress(address))) return `${formatAddress(address)} has other content`;
  }
  for (const [key, address] of old) if (!next.has(key)) sheet.set(address, { kind: "empty" });
  writeTable(sheet, after, chart);
  recalculateWorkbook(workbook);
  const bytes = workbook.toBytes();
  guardWorkbook(workbook.source, bytes, file.path, workbook.edits);
  return { bytes, table: after };
}

function at({ values, x }: ChartTable["series"][number]): string {
  return `${values} ${x}`;
}

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

/** The columns of an Excel table have the names of its header cells. */
function hasNames(sheet: Sheet, workbook: Workbook, table: ChartTable, { series }: ChartSpec): boolean {
  return table.series.every(({ values }, index) => {
    const element = sheet.cell({ row: table.top - 1, column: values });
    return element !== undefined && readCell(element, workbook).value === series[index]?.name;
  });
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
