import { ScriptError } from "../shared/script-error.ts";
import type { XmlElement, XmlNode } from "../shared/xml.ts";
import { formatRange, MAX_COLUMN, MAX_ROW, parseRange } from "./cell-address.ts";
import type { CellCount } from "./edit-log.ts";
import { type RowShift, sameSheet, shiftArea, shiftFormula } from "./formula.ts";
import { mapFormulas, relatedParts } from "./formula-place.ts";
import type { Sheet } from "./sheet.ts";
import type { Workbook } from "./workbook.ts";
import { childOf, childrenOf, isElement, textOf, walkXml } from "./xml.ts";

/**
 * Inserts rows into a sheet, or deletes them when the count is negative, and moves along everything that speaks of
 * rows below: formulas in all sheets, names, merged cells, validations, conditional formats, filters, tables, notes,
 * pictures and charts.
 */
export function shiftRows(workbook: Workbook, shift: RowShift): void {
  const { name, part } = workbook.find(shift.sheet);
  const sheet = workbook.sheet(name);
  rejectCut(workbook, part, shift);
  rejectOverflow(sheet.usedRange()?.bottom ?? 0, shift);
  workbook.edits.moveRows(part, countDeleted(sheet, shift));
  // A shared formula is stored once, so it would move once for all of its cells.
  for (const each of workbook.grids) each.expandShared();
  mapFormulas(workbook, (formula, home) => shiftFormula(formula, { ...shift, sheet: name }, home ?? ""));
  sheet.moveRows(shift.at, shift.count);
  shiftAreas(workbook.parts.change(part), shift);
  shiftBreaks(sheet.root, shift);
  for (const kind of ["table", "comments", "threadedComment"]) {
    for (const each of relatedParts(workbook, part, kind)) shiftAreas(workbook.parts.change(each), shift);
  }
  for (const drawing of relatedParts(workbook, part, "drawing")) {
    shiftAnchors(workbook.parts.change(drawing), "row", shift);
  }
  for (const drawing of relatedParts(workbook, part, "vmlDrawing")) {
    shiftNotes(workbook.parts.change(drawing), shift);
  }
  shiftPivotSources(workbook, name, shift);
}

function countDeleted(sheet: Sheet, { at, count }: RowShift): CellCount {
  let [cells, formulas] = [0, 0];
  if (count >= 0) return { cells, formulas };
  for (const { element } of sheet.cells({ top: at, bottom: at - count - 1, left: 1, right: MAX_COLUMN })) {
    cells += 1;
    if (childOf(element, "f") !== undefined) formulas += 1;
  }
  return { cells, formulas };
}

const AREA_ATTRIBUTES = ["ref", "sqref", "topLeftCell", "activeCell"] as const;

/** Elements that are removed when their whole area is deleted. */
const MORTAL: ReadonlySet<string> = new Set([
  "mergeCell",
  "hyperlink",
  "conditionalFormatting",
  "dataValidation",
  "ignoredError",
  "protectedRange",
  "autoFilter",
  "comment",
  "threadedComment",
]);

function shiftAreas(root: XmlElement, shift: RowShift): void {
  for (const name of AREA_ATTRIBUTES) shiftAttribute(root, name, shift);
  shiftBelow(root, shift);
}

function shiftBelow(element: XmlElement, shift: RowShift): void {
  element.children = element.children.filter((node) => {
    if (!isElement(node)) return true;
    const areas = AREA_ATTRIBUTES.map((name) => shiftAttribute(node, name, shift));
    if (node.name === "xm:sqref") node.children = [shiftList(textOf(node), shift) ?? "#REF!"];
    shiftBelow(node, shift);
    return !isOneCell(node) && (!MORTAL.has(node.name) || areas.every((isThere) => isThere));
  });
  for (const list of ["mergeCells", "dataValidations", "hyperlinks"]) pruneList(element, list);
}

/** A merge of one cell is not a merge. */
function isOneCell({ name, attributes }: XmlElement): boolean {
  const range = name === "mergeCell" ? parseRange(attributes.get("ref") ?? "") : undefined;
  return range !== undefined && range.top === range.bottom && range.left === range.right;
}

/** Returns false when no part of the area is left. */
function shiftAttribute(element: XmlElement, name: string, shift: RowShift): boolean {
  const before = element.attributes.get(name);
  if (before === undefined || parseRange(before.split(" ")[0] ?? "") === undefined) return true;
  const after = shiftList(before, shift);
  if (after === undefined) return false;
  element.attributes.set(name, after);
  return true;
}

function shiftList(areas: string, shift: RowShift): string | undefined {
  const moved = areas.split(" ").flatMap((area) => shiftArea(area, shift) ?? []);
  return moved.length === 0 ? undefined : moved.join(" ");
}

/** Readers refuse empty lists and wrong counts. */
function pruneList(element: XmlElement, name: string): void {
  const list = childOf(element, name);
  if (list === undefined) return;
  const { length } = childrenOf(list);
  if (list.attributes.has("count")) list.attributes.set("count", String(length));
  if (length === 0) element.children = element.children.filter((node) => node !== list);
}

/** Page breaks are named by the row above them. */
function shiftBreaks(root: XmlElement, shift: RowShift): void {
  for (const each of childrenOf(childOf(root, "rowBreaks"), "brk")) {
    const row = Number(each.attributes.get("id") ?? 0);
    if (row >= shift.at) each.attributes.set("id", String(Math.max(shift.at - 1, row + shift.count)));
  }
}

/** Pictures, charts and notes say their rows counted from 0. */
function shiftAnchors(root: XmlElement, name: string, { at, count }: RowShift): void {
  for (const element of walkXml(root)) {
    if (element.name !== name) continue;
    const row = Number(textOf(element)) + 1;
    if (row >= at) element.children = [String(Math.max(at, row + count) - 1)];
  }
}

/** A note has two parts: its text, and the box that shows it. */
function shiftNotes(root: XmlElement, shift: RowShift): void {
  const isGone = (node: XmlNode) => {
    if (!isElement(node)) return false;
    const row = [...walkXml(node)].find(({ name }) => name === "x:Row");
    return row !== undefined && shiftArea(`A${Number(textOf(row)) + 1}`, shift) === undefined;
  };
  root.children = root.children.filter((node) => !isGone(node));
  shiftAnchors(root, "x:Row", shift);
}

function shiftPivotSources(workbook: Workbook, name: string, shift: RowShift): void {
  for (const cache of relatedParts(workbook, workbook.part, "pivotCacheDefinition")) {
    const source = childOf(childOf(workbook.parts.read(cache), "cacheSource"), "worksheetSource");
    if (source === undefined || !sameSheet(source.attributes.get("sheet") ?? "", name)) continue;
    workbook.parts.change(cache);
    shiftAttribute(source, "ref", shift);
  }
}

/** Tables and array formulas cannot lose a part. */
function rejectCut(workbook: Workbook, part: string, { at, count }: RowShift): void {
  const isCut = (top: number, bottom: number) =>
    count < 0 ? at <= bottom && at - count > top : at > top && at <= bottom;
  for (const table of relatedParts(workbook, part, "table")) {
    const root = workbook.parts.read(table);
    const range = parseRange(root?.attributes.get("ref") ?? "");
    const headers = Number(root?.attributes.get("headerRowCount") ?? 1);
    if (range === undefined || headers === 0 || count > 0 || !isCut(range.top, range.top)) continue;
    const name = root?.attributes.get("name") ?? "without a name";
    throw new ScriptError("TABLE_CUT", `Row ${range.top} is the header of the table ${name}.`, {
      hint: "Delete rows below it, or delete the sheet.",
    });
  }
  for (const { element } of workbook
    .sheet(workbook.sheets.find((each) => each.part === part)?.name)
    .cells()) {
    const formula = childOf(element, "f");
    const kind = formula?.attributes.get("t");
    const range = parseRange(formula?.attributes.get("ref") ?? "");
    if ((kind !== "array" && kind !== "dataTable") || range === undefined) continue;
    if (range.top === range.bottom || !isCut(range.top, range.bottom)) continue;
    throw new ScriptError("ARRAY_CUT", `The rows cut through the array formula of ${formatRange(range)}.`);
  }
}

function rejectOverflow(bottom: number, { at, count }: RowShift): void {
  if (count <= 0 || bottom < at || bottom + count <= MAX_ROW) return;
  throw new ScriptError("SHEET_FULL", `The sheet is full: its last rows would move out of it.`);
}
