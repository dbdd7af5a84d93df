import type { InputFile } from "../shared/input-file.ts";
import { lossError } from "../shared/loss-error.ts";
import type { EditLog } from "./edit-log.ts";
import { type SheetSummary, summarizeWorkbook, type WorkbookSummary } from "./workbook-summary.ts";

/**
 * Opens the bytes that are about to be written and compares them with the source. Fails when something is missing that
 * the edit was not asked to change.
 */
export function guardWorkbook(
  source: InputFile | undefined,
  bytes: Uint8Array,
  path: string,
  log: EditLog,
): void {
  const isTouched: EditLog["isTouched"] = (part, address) => log.isTouched(part, address);
  const output = { path, absolute: path, name: path, bytes };
  const after = summarizeWorkbook(output, isTouched);
  const problems = source === undefined ? [] : compare(summarizeWorkbook(source, isTouched), after, log);
  const empty = [...after.sheets.values()].reduce((sum, sheet) => sum + sheet.emptyFormulas, 0);
  if (source === undefined && empty > 0) problems.push(`${empty} formulas are empty`);
  if (problems.length > 0) throw lossError(path, problems);
}

function compare(before: WorkbookSummary, after: WorkbookSummary, log: EditLog): string[] {
  const problems: string[] = [];
  for (const [part, old] of before.sheets) {
    if (log.hasRemoved(part)) continue;
    const now = after.sheets.get(part);
    if (now === undefined) problems.push(`${part} is missing`);
    else problems.push(...compareSheet(part, old, now, log));
  }
  const gone = [...before.parts].filter((name) => !after.parts.has(name) && !mayGo(name, log));
  if (gone.length > 0) problems.push(`${gone.length} parts are missing: ${gone.slice(0, 5).join(", ")}`);
  return problems;
}

/** The calculation chain is a cache, a format without macros drops them, and a deleted sheet takes its parts along. */
function mayGo(name: string, log: EditLog): boolean {
  return log.removesSheets || /calcChain\.xml$|vbaProject|vbaData|\.rels$/.test(name);
}

function compareSheet(
  part: string,
  before: SheetSummary,
  after: SheetSummary,
  log: EditLog,
): readonly string[] {
  const problems: string[] = [];
  const { cells, formulas } = log.lostIn(part);
  const touched = log.touchedIn(part);
  const less = (what: string, old: number, now: number, allowed: number) => {
    if (now < old - allowed) problems.push(`${part} has ${now} ${what}, and had ${old}`);
  };
  less("cells", before.cells, after.cells, cells + touched);
  less("formulas", before.formulas, after.formulas, formulas + touched);
  if (after.emptyFormulas > before.emptyFormulas)
    problems.push(`${part} has ${after.emptyFormulas - before.emptyFormulas} formulas that became empty`);
  if (!log.hasMoved(part)) {
    if (!before.values.equals(after.values)) problems.push(`values of other cells in ${part} changed`);
    if (!log.isRewritten && !before.formulaTexts.equals(after.formulaTexts))
      problems.push(`formulas of other cells in ${part} changed`);
    for (const [name, count] of before.features) less(name, count, after.features.get(name) ?? 0, 0);
  }
  return problems;
}
