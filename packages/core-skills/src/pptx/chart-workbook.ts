import type { OfficePackage } from "../shared/office-package.ts";
import { attributeOf, childrenOf } from "../shared/office-xml.ts";
import type { XmlElement } from "../shared/xml.ts";

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

function columnNumber(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}
