import type { XmlElement } from "../shared/xml.ts";
import type { Workbook } from "./workbook.ts";
import { childOf, childrenOf, textOf, walkXml } from "./xml.ts";

/** Elements whose text is a formula, in sheets, tables and charts. */
const FORMULA_ELEMENTS: ReadonlySet<string> = new Set([
  "f",
  "formula",
  "formula1",
  "formula2",
  "xm:f",
  "calculatedColumnFormula",
  "totalsRowFormula",
]);

/**
 * Rewrites every formula of a workbook: of cells, conditional formats, validations, tables, charts and names. The
 * second argument is the sheet of the formula; undefined for a formula outside a sheet.
 */
export function mapFormulas(
  workbook: Workbook,
  map: (formula: string, home: string | undefined) => string,
): void {
  for (const { name, part, hasCells } of workbook.sheets) {
    mapPart(workbook, part, (formula) => map(formula, hasCells ? name : undefined));
    for (const table of relatedParts(workbook, part, "table"))
      mapPart(workbook, table, (text) => map(text, name));
  }
  for (const chart of workbook.parts.names.filter((name) => /^xl\/charts\/[^/]+\.xml$/.test(name))) {
    mapPart(workbook, chart, (formula) => map(formula, undefined));
  }
  for (const name of definedNames(workbook)) {
    const before = textOf(name);
    const after = map(before, undefined);
    if (after === before) continue;
    workbook.parts.change(workbook.part);
    name.children = [after];
  }
}

export function definedNames(workbook: Workbook): readonly XmlElement[] {
  return childrenOf(childOf(workbook.root, "definedNames"), "definedName");
}

/** The parts of one kind that a sheet is linked to. */
export function relatedParts(workbook: Workbook, part: string, kind: string): readonly string[] {
  return workbook.parts.relations(part).flatMap((each) => (each.kind === kind ? [each.target] : []));
}

function mapPart(workbook: Workbook, part: string, map: (formula: string) => string): void {
  const root = workbook.parts.read(part);
  if (root === undefined) return;
  for (const element of walkXml(root)) {
    if (!FORMULA_ELEMENTS.has(element.name)) continue;
    const before = textOf(element);
    const after = before === "" ? before : map(before);
    if (after === before) continue;
    workbook.parts.change(part);
    element.children = [after];
  }
}
