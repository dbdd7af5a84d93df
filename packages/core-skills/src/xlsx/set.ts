import { clip } from "../shared/bounded.ts";
import { defineCommand, type JsonObject } from "../shared/command.ts";
import { readInput } from "../shared/input-file.ts";
import { chooseOutput, editOptions } from "../shared/output-file.ts";
import { usageError } from "../shared/script-error.ts";
import { readAddress } from "./cell-address.ts";
import { type CellInput, readCellInput } from "./cell-input.ts";
import { readField } from "./csv.ts";
import { saveWorkbook } from "./save.ts";
import { Workbook } from "./workbook.ts";

export const setCommand = defineCommand({
  name: "set",
  summary: "Put values or formulas into cells",
  operands: { label: "<file> <B2=value...>", min: 2, max: 200 },
  options: {
    ...editOptions,
    sheet: { type: "string", value: "name", help: "The sheet (default: the first)" },
    text: { type: "boolean", help: "Write every value as text, as it is" },
  },
  details: `
set plan.xlsx B2=12.5 B3==SUM(B1:B2) C1=2024-01-31 D1=true E1= --out new.xlsx

After the first = comes the value: a number, true or false, an ISO date, a formula when it starts with another =, or
text. An empty value clears the cell. Formats stay.`,
  async run({ operands: [path = "", ...words], options }, io): Promise<JsonObject> {
    const file = await readInput(path, io);
    const output = await chooseOutput(options, [file], io);
    const workbook = Workbook.open(file);
    const sheet = workbook.sheet(options.sheet);
    for (const word of words) {
      const [address, value] = splitWord(word);
      sheet.set(
        readAddress(address),
        options.text === true ? { kind: "text", text: value } : readWord(value),
      );
    }
    return { sheet: sheet.name, cells: words.length, ...(await saveWorkbook(workbook, output, "stale")) };
  },
});

function splitWord(word: string): readonly [string, string] {
  const at = word.indexOf("=");
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  throw usageError(`${clip(word, 40)} does not say what to put where.`, "Write B2=12.5 or B3==SUM(B1:B2).");
}

function readWord(value: string): CellInput {
  return value.startsWith("=") ? readCellInput(value, "The value") : readField(value);
}
