import { boundList, clip } from "../shared/bounded.ts";
import { defineCommand, type JsonObject } from "../shared/command.ts";
import { readInput } from "../shared/input-file.ts";
import { formatRange } from "./cell-address.ts";
import { definedNames, relatedParts } from "./formula-place.ts";
import type { Sheet } from "./sheet.ts";
import { type SheetEntry, Workbook } from "./workbook.ts";
import { childOf, childrenOf, textOf } from "./xml.ts";

const LISTED = 100;

export const infoCommand = defineCommand({
  name: "info",
  summary: "Describe a workbook: sheets, ranges, tables, names, formulas, properties",
  operands: { label: "<file>", min: 1, max: 1 },
  options: {},
  async run({ operands: [path = ""] }, io): Promise<JsonObject> {
    const workbook = Workbook.open(await readInput(path, io));
    const sheets = boundList(workbook.sheets, LISTED);
    const names = boundList(
      definedNames(workbook).filter((name) => name.attributes.get("hidden") !== "1"),
      LISTED,
    );
    const kinds = workbook.parts.relations(workbook.part).map(({ kind }) => kind);
    return {
      sheets: sheets.items.map((entry) => {
        const described = describeSheet(workbook, entry);
        // Sheets that are too large to be held together are looked at one by one.
        workbook.release(entry);
        return described;
      }),
      sheetCount: sheets.total,
      names: names.items.map((name) => ({
        name: clip(name.attributes.get("name") ?? "", 64),
        refersTo: clip(textOf(name), 200),
      })),
      nameCount: names.total,
      properties: readProperties(workbook),
      hasMacros: kinds.includes("vbaProject"),
      externalLinks: kinds.filter((kind) => kind === "externalLink").length,
      truncated: sheets.truncated || names.truncated,
    };
  },
});

function describeSheet(workbook: Workbook, entry: SheetEntry): JsonObject {
  const { name, state, hasCells, part } = entry;
  if (!hasCells) return { name, state, kind: "no cells" };
  const sheet = workbook.sheet(name);
  const used = sheet.usedRange();
  const links = new Map<string, number>();
  for (const { kind } of workbook.parts.relations(part)) links.set(kind, (links.get(kind) ?? 0) + 1);
  return {
    name,
    state,
    range: used === undefined ? null : formatRange(used),
    rows: used === undefined ? 0 : used.bottom - used.top + 1,
    columns: used === undefined ? 0 : used.right - used.left + 1,
    ...countCells(sheet),
    mergedCells: sheet.merges().length,
    frozenAt: childOf(firstView(sheet), "pane")?.attributes.get("topLeftCell"),
    filter: childOf(sheet.root, "autoFilter")?.attributes.get("ref"),
    isProtected: childOf(sheet.root, "sheetProtection") !== undefined,
    tables: describeTables(workbook, part),
    charts: countCharts(workbook, part),
    pivotTables: links.get("pivotTable") ?? 0,
    notes: (links.get("comments") ?? 0) + (links.get("threadedComment") ?? 0) > 0,
  };
}

function firstView(sheet: Sheet) {
  return childOf(childOf(sheet.root, "sheetViews"), "sheetView");
}

function countCells(sheet: Sheet): JsonObject {
  let [cells, formulas, uncalculated] = [0, 0, 0];
  for (const { element } of sheet.cells()) {
    if (element.children.length === 0) continue;
    cells += 1;
    if (childOf(element, "f") === undefined) continue;
    formulas += 1;
    if (childOf(element, "v") === undefined) uncalculated += 1;
  }
  return { cells, formulas, uncalculated };
}

function describeTables(workbook: Workbook, part: string): readonly JsonObject[] {
  return relatedParts(workbook, part, "table")
    .slice(0, LISTED)
    .map((name) => {
      const table = workbook.parts.read(name);
      const columns = childrenOf(childOf(table, "tableColumns"), "tableColumn");
      return {
        name: clip(table?.attributes.get("displayName") ?? "", 64),
        range: table?.attributes.get("ref") ?? "",
        columns: columns.slice(0, LISTED).map((each) => clip(each.attributes.get("name") ?? "", 64)),
      };
    });
}

function countCharts(workbook: Workbook, part: string): number {
  const drawings = relatedParts(workbook, part, "drawing");
  return drawings.reduce((sum, drawing) => sum + relatedParts(workbook, drawing, "chart").length, 0);
}

/** The properties by the last part of their names: `title`, `creator`, `modified`. */
function readProperties(workbook: Workbook): JsonObject {
  const name = workbook.parts.relations("").find(({ kind }) => kind === "core-properties")?.target;
  const root = name === undefined ? undefined : workbook.parts.read(name);
  const entries = childrenOf(root).map(
    (each) => [each.name.replace(/^.*:/, ""), clip(textOf(each), 300)] as const,
  );
  return Object.fromEntries(entries.filter(([, text]) => text !== "").slice(0, 20));
}
