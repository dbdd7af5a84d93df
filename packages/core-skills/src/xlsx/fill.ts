import { defineCommand, type JsonObject } from "../shared/command.ts";
import { readInput, readJson } from "../shared/input-file.ts";
import { chooseOutput, editOptions } from "../shared/output-file.ts";
import { ScriptError, usageError } from "../shared/script-error.ts";
import { readObject } from "./json-shape.ts";
import { saveWorkbook } from "./save.ts";
import { fillTemplate } from "./template.ts";
import { Workbook } from "./workbook.ts";

export const fillCommand = defineCommand({
  name: "fill",
  summary: "Fill a template: {{name}} in cells, rows repeated for lists",
  operands: { label: "<template>", min: 1, max: 1 },
  options: {
    ...editOptions,
    data: {
      type: "string",
      value: "json",
      help: "The data: a file, - for standard input, or the JSON itself",
    },
    "allow-missing": { type: "boolean", help: "Leave placeholders without data empty" },
  },
  details: `
{"customer": {"name": "Ada"}, "date": "2024-01-31", "items": [{"name": "Pen", "price": 1.5}, {"name": "Ink", "price": 7}]}

{{customer.name}} is replaced wherever it stands in text. A cell that holds nothing else takes over number, date or true/false,
and keeps its look. A row with {{items.name}} is repeated for every item, with its formulas; sums over that row take the
new rows in. Text from the data is never made a formula.`,
  async run({ operands: [path = ""], options }, io): Promise<JsonObject> {
    if (options.data === undefined) throw usageError("Specify the data with --data.", "See fill --help.");
    const file = await readInput(path, io);
    const output = await chooseOutput(options, [file], io);
    const data = readObject(await readJson(options.data, io), "The data");
    const workbook = Workbook.open(file);
    const { filled, rows, missing } = fillTemplate(workbook, data);
    if (missing.length > 0 && options["allow-missing"] !== true) {
      throw new ScriptError("MISSING_DATA", `The data has no value for ${missing.join(", ")}.`, {
        hint: "Add it, or use --allow-missing to leave these places empty.",
      });
    }
    if (filled === 0 && missing.length === 0) {
      throw new ScriptError("NO_PLACEHOLDERS", `${file.path} has no {{name}} in any cell.`);
    }
    return { filled, rows, missing, ...(await saveWorkbook(workbook, output, "stale")) };
  },
});
