import { defineCommand, type JsonObject } from "../shared/command.ts";
import { readInput } from "../shared/input-file.ts";
import { folderOptions, outputIn } from "../shared/output-file.ts";
import { sameSheet, sheetsOf } from "./formula.ts";
import { saveWorkbook } from "./save.ts";
import type { Sheet } from "./sheet.ts";
import { removeSheet } from "./sheet-list.ts";
import { Workbook } from "./workbook.ts";
import { isElement } from "./xml.ts";

export const splitCommand = defineCommand({
  name: "split",
  summary: "Make a workbook of every sheet",
  operands: { label: "<file>", min: 1, max: 1 },
  options: {
    ...folderOptions,
    sheet: { type: "string", multiple: true, value: "name", help: "Only this sheet" },
  },
  details: `
Files are named after their sheets. A formula that reads from another sheet becomes its last result, because the other
sheet is no longer there; "frozen" says how many.`,
  async run({ operands: [path = ""], options }, io): Promise<JsonObject> {
    const file = await readInput(path, io);
    const all = Workbook.open(file);
    const wanted =
      options.sheet?.map((name) => all.find(name)) ?? all.sheets.filter(({ hasCells }) => hasCells);
    const taken = new Set<string>();
    const plans = wanted.map(({ name }) => {
      const output = outputIn(options, freeFileName(name, taken), [file], io);
      return { name, output };
    });
    const files: JsonObject[] = [];
    for (const { name, output } of plans) {
      const workbook = Workbook.open(file);
      const frozen = freezeForeign(workbook.sheet(name));
      workbook.parts.change(workbook.part);
      workbook.find(name).element.attributes.delete("state");
      for (const other of workbook.sheets) if (other.name !== name) removeSheet(workbook, other.name);
      const saved = await saveWorkbook(workbook, output, "kept");
      files.push({ sheet: name, ...(frozen === 0 ? {} : { frozen }), ...saved });
    }
    return { files };
  },
});

function freeFileName(sheet: string, taken: Set<string>): string {
  const stem =
    sheet
      .replace(/[^\p{L}\p{N}_ ()-]/gu, "_")
      .trim()
      .replace(/^\.+/, "_") || "sheet";
  let free = stem;
  for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${stem}-${number}`;
  taken.add(free.toLowerCase());
  return `${free}.xlsx`;
}

/** Turns formulas that read other sheets into their results. */
function freezeForeign(sheet: Sheet): number {
  sheet.expandShared();
  let count = 0;
  for (const placed of sheet.cells()) {
    const formula = sheet.formulaOf(placed);
    if (formula === undefined || [...sheetsOf(formula)].every((name) => sameSheet(name, sheet.name)))
      continue;
    const element = sheet.make(placed);
    sheet.touch(placed);
    element.children = element.children.filter((node) => isElement(node) && node.name !== "f");
    count += 1;
  }
  return count;
}
