import { defineCommand, type JsonObject } from "../shared/command.ts";
import { readInput, readJson } from "../shared/input-file.ts";
import { chooseOutput, editOptions } from "../shared/output-file.ts";
import { usageError } from "../shared/script-error.ts";
import { applySteps } from "./edit-operation.ts";
import { readList } from "./json-shape.ts";
import { saveWorkbook } from "./save.ts";
import { Workbook } from "./workbook.ts";

export const editCommand = defineCommand({
  name: "edit",
  summary: "Change a workbook by a list of steps; everything else stays as it is",
  operands: { label: "<file>", min: 1, max: 1 },
  options: {
    ...editOptions,
    steps: {
      type: "string",
      value: "json",
      help: "The steps: a file, - for standard input, or the JSON itself",
    },
  },
  details: `
[{"op": "set", "sheet": "Orders", "cell": "B2", "value": 12.5},
 {"op": "set", "sheet": "Orders", "cell": "A10", "values": [["Total", "=SUM(B2:B9)"]]},
 {"op": "append", "sheet": "Orders", "rows": [["Pen", 3], {"Item": "Ink", "Price": 7}]},
 {"op": "replace", "find": "2023", "with": "2024", "ignoreCase": false, "wholeCell": false},
 {"op": "insert-rows", "sheet": "Orders", "at": 3, "count": 2, "rows": [["New", 1]]},
 {"op": "delete-rows", "sheet": "Orders", "at": 5, "count": 1},
 {"op": "add-sheet", "name": "Notes", "columns": ["When", "What"], "rows": [["2024-01-31", "Sent"]]},
 {"op": "copy-sheet", "sheet": "Orders", "to": "Orders 2024"},
 {"op": "rename-sheet", "sheet": "Notes", "to": "Log"},  {"op": "move-sheet", "sheet": "Log", "to": 1},
 {"op": "delete-sheet", "sheet": "Old"},
 {"op": "format", "sheet": "Orders", "range": "B2:B9", "numberFormat": "0.00", "bold": true, "italic": false,
  "color": "C00000", "fill": "FFF2CC", "align": "right", "wrap": true},
 {"op": "width", "sheet": "Orders", "columns": "A:C", "width": 18},
 {"op": "chart", "sheet": "Orders", "type": "column", "title": "Sales", "categories": "A2:A9",
  "series": [{"name": "Price", "values": "B2:B9"}], "at": "F2"},
 {"op": "highlight", "sheet": "Orders", "range": "B2:B9", "rule": "greater-than", "value": 100, "fill": "FFC7CE"},
 {"op": "validation", "sheet": "Orders", "range": "C2:C9", "list": ["open", "paid"]},
 {"op": "freeze", "sheet": "Orders", "cell": "B2"},  {"op": "merge", "sheet": "Orders", "range": "A1:C1"}]

Steps run in order, all or none. Without "sheet" the first one is meant (replace: all). Values are written as for create.
Rows that come or go move formulas, names, tables, merged cells, charts and formats along.`,
  async run({ operands: [path = ""], options }, io): Promise<JsonObject> {
    if (options.steps === undefined) throw usageError("Specify the steps with --steps.", "See edit --help.");
    const file = await readInput(path, io);
    const output = await chooseOutput(options, [file], io);
    const steps = readList(await readJson(options.steps, io), "The list of steps");
    if (steps.length === 0) throw usageError("The list of steps is empty.", "See edit --help.");
    const workbook = Workbook.open(file);
    const { done, effect } = applySteps(workbook, steps);
    return { steps: done, ...(await saveWorkbook(workbook, output, effect)) };
  },
});
