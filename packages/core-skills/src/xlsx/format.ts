import { defineCommand, type JsonObject } from "../shared/command.ts";
import { readInput } from "../shared/input-file.ts";
import { chooseOutput, editOptions } from "../shared/output-file.ts";
import { usageError } from "../shared/script-error.ts";
import { applySteps } from "./edit-operation.ts";
import { saveWorkbook } from "./save.ts";
import { Workbook } from "./workbook.ts";

export const formatCommand = defineCommand({
  name: "format",
  summary: "Change how cells look: number format, bold, colors, alignment, column width",
  operands: { label: "<file> <range>", min: 2, max: 2 },
  options: {
    ...editOptions,
    sheet: { type: "string", value: "name", help: "The sheet (default: the first)" },
    "number-format": { type: "string", value: "0.00", help: "Such as 0.00, #,##0, 0%, yyyy-mm-dd, @" },
    bold: { type: "boolean", help: "Bold text" },
    italic: { type: "boolean", help: "Italic text" },
    color: { type: "string", value: "RRGGBB", help: "The color of the text" },
    fill: { type: "string", value: "RRGGBB", help: "The color behind it, or none" },
    align: { type: "string", value: "side", help: "left, center, right" },
    wrap: { type: "boolean", help: "Break long text into lines" },
    width: { type: "string", value: "n", help: "The width of the columns, in characters" },
  },
  details: `format sales.xlsx B2:B20 --number-format "#,##0.00" --bold --fill FFF2CC --width 14 --out new.xlsx`,
  async run({ operands: [path = "", range = ""], options }, io): Promise<JsonObject> {
    const file = await readInput(path, io);
    const output = await chooseOutput(options, [file], io);
    const { "number-format": numberFormat, bold, italic, color, fill, align, wrap, sheet, width } = options;
    const looks = { numberFormat, bold, italic, color, fill, align, wrap };
    const given = Object.fromEntries(Object.entries(looks).filter(([, value]) => value !== undefined));
    const on = sheet === undefined ? {} : { sheet };
    const steps = [
      ...(Object.keys(given).length === 0 ? [] : [{ op: "format", range, ...on, ...given }]),
      ...(width === undefined
        ? []
        : [{ op: "width", columns: columnsOf(range), width: Number(width), ...on }]),
    ];
    if (steps.length === 0) throw usageError("No change was given.", "See format --help.");
    const workbook = Workbook.open(file);
    const { done } = applySteps(workbook, steps);
    return { steps: done, ...(await saveWorkbook(workbook, output, "kept")) };
  },
});

function columnsOf(range: string): string {
  const letters = range.replace(/[$\d]/g, "");
  return letters === "" || letters === ":" ? "A:XFD" : letters;
}
