import type { CellSource } from "./calculation.ts";
import { CellError } from "./calculation-value.ts";
import { readCell } from "./cell-content.ts";
import { sameSheet } from "./formula.ts";
import { definedNames } from "./formula-place.ts";
import type { Workbook } from "./workbook.ts";
import { childOf, textOf } from "./xml.ts";

/** The cells of a workbook, as formulas read them: dates are numbers. */
export function cellSource(workbook: Workbook): CellSource {
  const names = new Map(
    definedNames(workbook)
      .filter((name) => !name.attributes.has("localSheetId"))
      .map((name) => [name.attributes.get("name")?.toLowerCase() ?? "", textOf(name)]),
  );
  const extents = new Map<string, { readonly row: number; readonly column: number }>();
  return {
    formula: (sheet, address) => {
      const element = workbook.sheet(sheet).cell(address);
      return element === undefined ? undefined : workbook.sheet(sheet).formulaOf({ ...address, element });
    },
    value: (sheet, address) => {
      const element = workbook.sheet(sheet).cell(address);
      if (element === undefined) return null;
      const { type, value } = readCell(element, workbook);
      if (type === "error") return new CellError(String(value));
      return type === "date" ? Number(textOf(childOf(element, "v"))) : value;
    },
    sheetName: (name) => workbook.sheets.find((each) => each.hasCells && sameSheet(each.name, name))?.name,
    definedName: (name) => names.get(name.toLowerCase()),
    extent: (sheet) => {
      const known = extents.get(sheet);
      if (known !== undefined) return known;
      const used = workbook.sheet(sheet).usedRange();
      const extent = { row: used?.bottom ?? 1, column: used?.right ?? 1 };
      extents.set(sheet, extent);
      return extent;
    },
  };
}
