import type { XmlElement } from "../shared/xml.ts";
import { readCell } from "./cell-content.ts";
import { replaceInItem, textItem } from "./cell-text.ts";
import type { PlacedCell, Sheet } from "./sheet.ts";
import type { Workbook } from "./workbook.ts";
import { childOf, copyElement, textOf } from "./xml.ts";

export interface Replacement {
  readonly find: string;
  readonly with: string;
  readonly ignoreCase: boolean;
  /** Only cells whose whole text it is. */
  readonly wholeCell: boolean;
}

/** Replaces text in the cells of a sheet. Formulas and numbers are left alone. Returns the number of changed cells. */
export function replaceText(workbook: Workbook, sheet: Sheet, replacement: Replacement): number {
  const replace = makeReplace(replacement);
  let count = 0;
  for (const placed of sheet.cells()) {
    if (childOf(placed.element, "f") !== undefined) continue;
    if (changeText(workbook, sheet, placed, replace)) count += 1;
  }
  return count;
}

/** Changes the text of a cell, run by run where it has several looks. Returns whether it changed. */
export function changeText(
  workbook: Workbook,
  sheet: Sheet,
  placed: PlacedCell,
  replace: (text: string) => string,
): boolean {
  const item = ownItem(workbook, placed.element);
  if (item === undefined) return false;
  const before = String(readCell(placed.element, workbook).value ?? "");
  const after = replace(before);
  if (after === before) return false;
  // Text that runs from one look into the next is not in any single run: then the cell gets one look.
  const isInRuns = replaceInItem(item, replace);
  const element = sheet.make(placed);
  sheet.touch(placed);
  element.attributes.set("t", "inlineStr");
  element.children = [isInRuns ? item : textItem("is", after)];
  return true;
}

/** A copy of a cell's text item, because cells can share it; undefined for a cell without text. */
function ownItem(workbook: Workbook, element: XmlElement): XmlElement | undefined {
  const type = element.attributes.get("t");
  const item =
    type === "inlineStr"
      ? childOf(element, "is")
      : type === "s"
        ? workbook.strings[Number(textOf(childOf(element, "v")))]
        : undefined;
  return item === undefined ? undefined : copyElement(item, "is");
}

function makeReplace({ find, with: text, ignoreCase, wholeCell }: Replacement): (text: string) => string {
  const escaped = find.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const pattern = new RegExp(wholeCell ? `^${escaped}$` : escaped, ignoreCase ? "giu" : "gu");
  return (before) => before.replace(pattern, () => text);
}
