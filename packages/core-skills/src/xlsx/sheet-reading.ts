import { type CellRange, columnLetters, formatAddress } from "./cell-address.ts";
import { type CellContent, readCell } from "./cell-content.ts";
import type { PlacedCell, Sheet } from "./sheet.ts";
import type { Workbook } from "./workbook.ts";

export type PlainValue = CellContent["value"];

export interface ReadCell {
  readonly cell: string;
  readonly type: CellContent["type"] | "formula";
  readonly value: PlainValue;
  readonly formula?: string;
  readonly format?: string;
}

/** The rows of a range as plain values. With `formulas`, a cell that has one shows it instead of its result. */
export function* readRowValues(
  workbook: Workbook,
  sheet: Sheet,
  range: CellRange,
  hasFormulas: boolean,
): Generator<readonly PlainValue[]> {
  for (let row = range.top; row <= range.bottom; row += 1) {
    const values: PlainValue[] = [];
    for (let column = range.left; column <= range.right; column += 1) {
      const element = sheet.cell({ row, column });
      values.push(
        element === undefined ? null : plainValue(workbook, sheet, { row, column, element }, hasFormulas),
      );
    }
    yield values;
  }
}

/** Everything that is known of each cell that holds something. */
export function* readCells(workbook: Workbook, sheet: Sheet, range: CellRange): Generator<ReadCell> {
  for (const placed of sheet.cells(range)) {
    const content = readCell(placed.element, workbook);
    const formula = sheet.formulaOf(placed);
    if (content.type === "empty" && formula === undefined) continue;
    const format = workbook.styles.formatOf(sheet.styleOf(placed.element));
    yield {
      cell: formatAddress(placed),
      type: content.type === "empty" ? "formula" : content.type,
      value: content.value,
      ...(formula === undefined ? {} : { formula: `=${formula}` }),
      ...(format === "General" ? {} : { format }),
    };
  }
}

/** Column names from the first row of a table; they are unique and never empty. */
export function columnNames(header: readonly PlainValue[], left: number): readonly string[] {
  const taken = new Set<string>();
  return header.map((value, index) => {
    const name = value === null || value === "" ? columnLetters(left + index) : String(value);
    let free = name;
    for (let number = 2; taken.has(free); number += 1) free = `${name}_${number}`;
    taken.add(free);
    return free;
  });
}

/** How many formulas of a range have no stored result. */
export function countUncalculated(sheet: Sheet, range: CellRange): number {
  let count = 0;
  for (const { element } of sheet.cells(range)) {
    const names = element.children.map((node) => (typeof node === "string" ? "" : node.name));
    if (names.includes("f") && !names.includes("v")) count += 1;
  }
  return count;
}

function plainValue(workbook: Workbook, sheet: Sheet, placed: PlacedCell, hasFormulas: boolean): PlainValue {
  const formula = hasFormulas ? sheet.formulaOf(placed) : undefined;
  return formula === undefined ? readCell(placed.element, workbook).value : `=${formula}`;
}
