import type { JsonObject } from "../shared/command.ts";
import { type Output, writeOutput } from "../shared/output-file.ts";
import { refreshCharts } from "./chart-cache.ts";
import { fitKind } from "./file-kind.ts";
import { dependsOnSheetList } from "./formula-syntax.ts";
import { guardWorkbook } from "./guard.ts";
import type { Workbook } from "./workbook.ts";

/**
 * What an edit does to the results of formulas that are stored in the file: `kept` when they stay right, `sheets` when
 * only the list of sheets changed, and `stale` when values changed.
 */
export type ResultEffect = "kept" | "sheets" | "stale";

/** Checks and writes a workbook that was changed. Stored results are dropped unless they are still right. */
export async function saveWorkbook(
  workbook: Workbook,
  output: Output,
  effect: ResultEffect,
): Promise<JsonObject> {
  const formulas = settleResults(workbook, effect);
  refreshCharts(workbook);
  const macros: JsonObject = fitKind(workbook, output.path) ? { macrosRemoved: true } : {};
  const bytes = workbook.toBytes();
  guardWorkbook(workbook.source, bytes, output.path, workbook.edits);
  const written = await writeOutput(output, bytes);
  if (formulas === 0) return { written, ...macros };
  return {
    written,
    ...macros,
    recalculate: {
      formulas,
      note: "Results appear when a spreadsheet program opens the file, or after recalculate.",
    },
  };
}

function settleResults(workbook: Workbook, effect: ResultEffect): number {
  if (effect === "kept") return 0;
  if (effect === "stale" || readsSheetList(workbook)) return workbook.forgetResults();
  return workbook.keepResults();
}

function readsSheetList(workbook: Workbook): boolean {
  return workbook.grids.some((sheet) => {
    for (const placed of sheet.cells()) {
      const formula = sheet.formulaOf(placed);
      if (formula !== undefined && dependsOnSheetList(formula)) return true;
    }
    return false;
  });
}
