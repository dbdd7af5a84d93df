import { type JsonObject } from "../shared/command.ts";
import { type Output, writeOutput } from "../shared/output-file.ts";
import { fitKind } from "./file-kind.ts";
import { type Workbook } from "./workbook.ts";

/** Writes a workbook that was changed; results of formulas are dropped unless they still hold. */
export async function saveWorkbook(
  workbook: Workbook,
  output: Output,
  options: { readonly keepsResults?: boolean } = {},
): Promise<JsonObject> {
  const formulas = options.keepsResults === true ? 0 : workbook.forgetResults();
  const macros: JsonObject = fitKind(workbook, output.path) ? { macrosRemoved: true } : {};
  const written = await writeOutput(output, workbook.toBytes());
  if (formulas === 0) return { written, ...macros };
  return {
    written,
    ...macros,
    recalculate: { formulas, note: "Their results appear when a spreadsheet program opens the file." },
  };
}
