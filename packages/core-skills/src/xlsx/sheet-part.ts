import type { XmlElement } from "../shared/xml.ts";
import { type CellRange, formatAddress, formatRange } from "./cell-address.ts";
import { childOf, childrenOf, makeElement } from "./xml.ts";

/** What a sheet holds, in the order in which programs insist on. */
const ORDER = (
  "sheetPr dimension sheetViews sheetFormatPr cols sheetData sheetCalcPr sheetProtection protectedRanges scenarios " +
  "autoFilter sortState dataConsolidate customSheetViews mergeCells phoneticPr conditionalFormatting dataValidations " +
  "hyperlinks printOptions pageMargins pageSetup headerFooter rowBreaks colBreaks customProperties cellWatches " +
  "ignoredErrors smartTags drawing legacyDrawing legacyDrawingHF picture oleObjects controls webPublishItems " +
  "tableParts extLst"
).split(" ");

/** The child of that name, made in its place when it is missing. */
export function sheetChild(root: XmlElement, name: string): XmlElement {
  const known = childOf(root, name);
  if (known !== undefined) return known;
  const element = makeElement(name);
  const later = ORDER.slice(ORDER.indexOf(name) + 1);
  const index = root.children.findIndex((node) => typeof node !== "string" && later.includes(node.name));
  root.insertAt(index === -1 ? root.children.length : index, element);
  return element;
}

/** Keeps the rows above and the columns left of a cell in sight. */
export function freezePanes(root: XmlElement, { row, column }: { row: number; column: number }): void {
  const views = sheetChild(root, "sheetViews");
  const view = childOf(views, "sheetView") ?? makeElement("sheetView", { workbookViewId: "0" });
  if (!views.children.includes(view)) views.appendChild(view);
  const isOther = (node: XmlElement) => !["pane", "selection"].includes(node.name);
  view.children = childrenOf(view).filter(isOther);
  if (row === 1 && column === 1) return;
  const pane = [row > 1 ? "bottom" : "top", column > 1 ? "Right" : "Left"].join("");
  const attributes: Record<string, string> = {
    ...(column > 1 ? { xSplit: String(column - 1) } : {}),
    ...(row > 1 ? { ySplit: String(row - 1) } : {}),
    topLeftCell: formatAddress({ row, column }),
    activePane: pane,
    state: "frozen",
  };
  view.children = [makeElement("pane", attributes), makeElement("selection", { pane }), ...view.children];
}

/** Contract: the range meets no other merged cell. */
export function mergeRange(root: XmlElement, range: CellRange): void {
  const list = sheetChild(root, "mergeCells");
  list.appendChild(makeElement("mergeCell", { ref: formatRange(range) }));
  list.attributes.set("count", String(childrenOf(list).length));
}

export function setAutoFilter(root: XmlElement, range: CellRange): void {
  const filter = sheetChild(root, "autoFilter");
  filter.children = [];
  filter.attributes.set("ref", formatRange(range));
}

/** Sets the width of columns, and keeps what else is said of them. */
export function setColumnWidth(root: XmlElement, first: number, last: number, width: number): void {
  const list = sheetChild(root, "cols");
  const pieces = childrenOf(list, "col").flatMap((col) => cutColumns(col, first, last));
  let next = first;
  const inside: XmlElement[] = [];
  for (const piece of pieces.filter((each) => startOf(each) >= first && endOf(each) <= last)) {
    if (startOf(piece) > next) inside.push(makeColumns(next, startOf(piece) - 1));
    inside.push(piece);
    next = endOf(piece) + 1;
  }
  if (next <= last) inside.push(makeColumns(next, last));
  for (const piece of inside) {
    piece.attributes.set("width", String(width));
    piece.attributes.set("customWidth", "1");
    piece.attributes.delete("hidden");
  }
  const outside = pieces.filter((each) => endOf(each) < first || startOf(each) > last);
  list.children = [...outside, ...inside].sort((one, other) => startOf(one) - startOf(other));
}

function cutColumns(col: XmlElement, first: number, last: number): readonly XmlElement[] {
  const spans = [
    [startOf(col), Math.min(endOf(col), first - 1)],
    [Math.max(startOf(col), first), Math.min(endOf(col), last)],
    [Math.max(startOf(col), last + 1), endOf(col)],
  ] as const;
  return spans
    .filter(([min, max]) => min <= max)
    .map(([min, max]) => {
      const piece = col.cloneNode(false);
      piece.setAttribute("min", String(min));
      piece.setAttribute("max", String(max));
      return piece;
    });
}

function makeColumns(min: number, max: number): XmlElement {
  return makeElement("col", { min: String(min), max: String(max) });
}

function startOf(col: XmlElement): number {
  return Number(col.attributes.get("min"));
}

function endOf(col: XmlElement): number {
  return Number(col.attributes.get("max"));
}
