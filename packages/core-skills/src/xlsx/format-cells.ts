import type { JsonObject } from "../shared/command.ts";
import { usageError } from "../shared/script-error.ts";
import { type CellRange, MAX_COLUMN, MAX_ROW } from "./cell-address.ts";
import { optionalBoolean, optionalString } from "./json-shape.ts";
import type { Sheet } from "./sheet.ts";
import type { StyleChange, StyleTable } from "./style-table.ts";

export const STYLE_KEYS = ["numberFormat", "bold", "italic", "color", "fill", "align", "wrap"] as const;

const ALIGNMENTS = ["left", "center", "right", "general", "fill", "justify"];
const CELLS = 200_000;

/** Changes how the cells of a range look. Returns their number. */
export function formatCells(
  sheet: Sheet,
  range: CellRange,
  request: JsonObject,
  styles: StyleTable,
  where: string,
): number {
  const change = readStyle(request, where);
  const { top, left, bottom, right } = clipToUsed(sheet, range);
  if ((bottom - top + 1) * (right - left + 1) > CELLS) {
    throw usageError(`${where} is about more than ${CELLS} cells.`, "Format a smaller range.");
  }
  let count = 0;
  for (let row = top; row <= bottom; row += 1) {
    for (let column = left; column <= right; column += 1) {
      const element = sheet.make({ row, column });
      element.attributes.set("s", String(styles.derive(sheet.styleOf(element), change)));
      count += 1;
    }
  }
  return count;
}

function readStyle(request: JsonObject, where: string): StyleChange {
  const change = {
    numberFormat: optionalString(request["numberFormat"], `${where}.numberFormat`),
    bold: optionalBoolean(request["bold"], `${where}.bold`),
    italic: optionalBoolean(request["italic"], `${where}.italic`),
    color: optionalString(request["color"], `${where}.color`),
    fill: optionalString(request["fill"], `${where}.fill`),
    align: optionalString(request["align"], `${where}.align`),
    wrap: optionalBoolean(request["wrap"], `${where}.wrap`),
  };
  if (Object.values(change).every((value) => value === undefined)) {
    throw usageError(`${where} has no change.`, `Give one of ${STYLE_KEYS.join(", ")}.`);
  }
  if (change.align !== undefined && !ALIGNMENTS.includes(change.align)) {
    throw usageError(`${where}.align is one of ${ALIGNMENTS.join(", ")}.`);
  }
  return change;
}

/** Limits whole rows and columns to their used part. */
function clipToUsed(sheet: Sheet, range: CellRange): CellRange {
  const isWhole = range.bottom === MAX_ROW || range.right === MAX_COLUMN;
  if (!isWhole) return range;
  const used = sheet.usedRange() ?? { top: 1, left: 1, bottom: 1, right: 1 };
  return {
    ...range,
    bottom: range.bottom === MAX_ROW ? used.bottom : range.bottom,
    right: range.right === MAX_COLUMN ? used.right : range.right,
  };
}
