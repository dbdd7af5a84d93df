import { formatRange, parseRange } from "./cell-address.ts";
import { relatedParts } from "./formula-place.ts";
import type { Workbook } from "./workbook.ts";
import { childOf } from "./xml.ts";

/** Rows that are added right below a table become part of it, unless a row of totals ends it. */
export function extendTable(workbook: Workbook, sheet: string, lastRow: number, rows: number): void {
  for (const part of relatedParts(workbook, workbook.find(sheet).part, "table")) {
    const table = workbook.parts.read(part);
    const range = parseRange(table?.attributes.get("ref") ?? "");
    const hasTotals = Number(table?.attributes.get("totalsRowCount") ?? 0) > 0;
    if (range === undefined || range.bottom !== lastRow || hasTotals) continue;
    const changed = workbook.parts.change(part);
    const ref = formatRange({ ...range, bottom: range.bottom + rows });
    changed.attributes.set("ref", ref);
    childOf(changed, "autoFilter")?.attributes.set("ref", ref);
  }
}
