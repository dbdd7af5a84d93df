import { defineCommand, type JsonObject } from "../shared/command.ts";
import { readJson } from "../shared/input-file.ts";
import { chooseOutput, outputOptions, writeOutput } from "../shared/output-file.ts";
import { usageError } from "../shared/script-error.ts";
import { setProperties } from "./document-property.ts";
import { fitKind } from "./file-kind.ts";
import { guardWorkbook } from "./guard.ts";
import { readList, readObject, rejectUnknown } from "./json-shape.ts";
import { addSheetFromSpec } from "./sheet-spec.ts";
import { Workbook } from "./workbook.ts";

export const createCommand = defineCommand({
  name: "create",
  summary: "Make a workbook from a JSON description",
  operands: { label: "<spec.json | - | inline JSON>", min: 1, max: 1 },
  options: outputOptions,
  details: `
{"sheets": [{
   "name": "Orders",
   "columns": ["Item", {"header": "Price", "width": 12, "format": "#,##0.00"}],
   "rows": [["Pen", 1.5], ["Ink", 12]],
   "freeze": "A2", "autoFilter": true, "merge": ["A5:B5"]}],
 "properties": {"title": "Orders", "creator": "Ada", "created": "2024-01-31T00:00:00Z"}}

Rows may also be objects by the headers (or the "key" of a column). With columns there is a bold header row that stays in
sight. A cell is a string, number, true, false or null; "=SUM(B2:B3)" is a formula and "2024-01-31" a date.
{"text": "=not a formula"} and {"value": 0.5, "format": "0%"} say it exactly. Without "created", no date is written.`,
  async run({ operands: [source = ""], options }, io): Promise<JsonObject> {
    const output = await chooseOutput(options, [], io);
    const spec = readObject(await readJson(source, io), "The description");
    rejectUnknown(spec, ["sheets", "properties"], "The description");
    const workbook = Workbook.blank();
    const sheets = readList(spec["sheets"], "sheets").map((value, index) => {
      const where = `sheets[${index}]`;
      const sheet = readObject(value, where);
      return { name: String(sheet["name"]), rows: addSheetFromSpec(workbook, sheet, where) };
    });
    if (sheets.length === 0) throw usageError("A workbook has at least one sheet.");
    if (spec["properties"] !== undefined)
      setProperties(workbook, readObject(spec["properties"], "properties"));
    const formulas = workbook.forgetResults();
    fitKind(workbook, output.path);
    const bytes = workbook.toBytes();
    guardWorkbook(undefined, bytes, output.path, workbook.edits);
    return { sheets, formulas, written: await writeOutput(output, bytes) };
  },
});
