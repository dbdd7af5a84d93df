import { extname } from "node:path";
import type { Workbook } from "./workbook.ts";

const TYPES: ReadonlyMap<string, string> = new Map([
  [".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"],
  [".xlsm", "application/vnd.ms-excel.sheet.macroEnabled.main+xml"],
  [".xltx", "application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml"],
  [".xltm", "application/vnd.ms-excel.template.macroEnabled.main+xml"],
]);

/**
 * Makes a workbook the kind that its name says: Excel opens no file that says otherwise inside. Macros stay only in
 * kinds that may have them. Returns whether macros were removed.
 */
export function fitKind(workbook: Workbook, path: string): boolean {
  const type = TYPES.get(extname(path).toLowerCase());
  if (type === undefined) return false;
  workbook.parts.retype(workbook.part, type);
  if (type.includes("macroEnabled")) return false;
  const macros = workbook.parts.relations(workbook.part).filter(({ kind }) => kind === "vbaProject");
  for (const { id } of macros) workbook.parts.unrelate(workbook.part, id);
  if (macros.length > 0) workbook.parts.sweep();
  return macros.length > 0;
}
