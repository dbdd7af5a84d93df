import type { XmlElement } from "../shared/xml.ts";
import { valuesOf } from "./add-chart.ts";
import { type CellRange, parseRange } from "./cell-address.ts";
import { sameSheet } from "./formula.ts";
import type { Sheet } from "./sheet.ts";
import type { Workbook } from "./workbook.ts";
import { childOf, makeElement, textOf, walkXml } from "./xml.ts";

/**
 * Gives charts the present values of the cells that they show. A range with a formula that has no stored result keeps
 * its values: a spreadsheet program calculates them when it opens the file. Returns the number of changed ranges.
 */
export function refreshCharts(workbook: Workbook): number {
  let changed = 0;
  for (const part of workbook.parts.names.filter((name) => /^xl\/charts\/chart[^/]*\.xml$/i.test(name))) {
    const root = workbook.parts.read(part);
    if (root === undefined) continue;
    const references = [...walkXml(root)].filter(({ localName }) => /^(?:num|str)Ref$/.test(localName));
    const ranges = references.filter((reference) => refresh(workbook, reference)).length;
    if (ranges > 0) workbook.parts.change(part);
    changed += ranges;
  }
  return changed;
}

function refresh(workbook: Workbook, reference: XmlElement): boolean {
  const isNumeric = reference.localName === "numRef";
  const cache = childOf(reference, isNumeric ? "numCache" : "strCache");
  const found = /^(?:'((?:[^']|'')+)'|([^'!]+))!([^!]+)$/.exec(textOf(childOf(reference, "f")));
  const range = parseRange(found?.[3]?.replaceAll("$", "") ?? "");
  const name = found?.[1]?.replaceAll("''", "'") ?? found?.[2] ?? "";
  const entry = workbook.sheets.find((each) => each.hasCells && sameSheet(each.name, name));
  if (cache === undefined || range === undefined || entry === undefined) return false;
  const sheet = workbook.sheet(entry.name);
  if (sizeOf(range) > MAX_POINTS || hasOpenFormula(sheet, range)) return false;
  const { values } = valuesOf(workbook, sheet, range);
  const points = values.flatMap((value, index) =>
    value === null || (isNumeric && typeof value !== "number")
      ? []
      : [makeElement("pt", { idx: String(index) }, [makeElement("v", {}, [String(value)])])],
  );
  const before = cache.textContent + String(cache.children.length);
  const format = childOf(cache, "formatCode");
  cache.children = [
    ...(format === undefined ? [] : [format]),
    makeElement("ptCount", { val: String(values.length) }),
    ...points,
  ];
  return cache.textContent + String(cache.children.length) !== before;
}

const MAX_POINTS = 10_000;

function sizeOf({ top, bottom, left, right }: CellRange): number {
  return (bottom - top + 1) * (right - left + 1);
}

function hasOpenFormula(sheet: Sheet, range: CellRange): boolean {
  for (let row = range.top; row <= range.bottom; row += 1) {
    for (let column = range.left; column <= range.right; column += 1) {
      const element = sheet.cell({ row, column });
      if (element === undefined || childOf(element, "f") === undefined) continue;
      if (childOf(element, "v") === undefined) return true;
    }
  }
  return false;
}
