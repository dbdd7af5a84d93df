import { defineCommand, type JsonObject } from "../shared/command.ts";
import { readInput } from "../shared/input-file.ts";
import { chooseOutput, outputOptions } from "../shared/output-file.ts";
import { renameInFormula, sameSheet } from "./formula.ts";
import { saveWorkbook } from "./save.ts";
import { copySheet } from "./sheet-copy.ts";
import { Workbook } from "./workbook.ts";
import { textOf, walkXml } from "./xml.ts";

export const mergeCommand = defineCommand({
  name: "merge",
  summary: "Put the sheets of several workbooks into one",
  operands: { label: "<file...>", min: 2, max: 50 },
  options: outputOptions,
  details: `
The first file is kept whole; the sheets of the others come after its own. A name that is taken gets a number: "Data (2)".
Pictures, charts, tables and notes of the other files stay behind, and "leftBehind" names them.`,
  async run({ operands, options }, io): Promise<JsonObject> {
    const files = await Promise.all(operands.map((path) => readInput(path, io)));
    const output = await chooseOutput(options, files, io);
    const [first, ...others] = files;
    if (first === undefined) return {};
    const target = Workbook.open(first);
    const added = others.flatMap((file) => addAll(Workbook.open(file), target, file.path));
    return {
      sheets: target.sheets.map(({ name }) => name),
      added,
      ...(await saveWorkbook(target, output, "sheets")),
    };
  },
});

function addAll(source: Workbook, target: Workbook, file: string): readonly JsonObject[] {
  const sheets = source.sheets.filter(({ hasCells }) => hasCells);
  const renamed = new Map<string, string>();
  const taken = target.sheets.map(({ name }) => name);
  for (const { name } of sheets) {
    const free = freeSheetName(name, taken);
    taken.push(free);
    renamed.set(name, free);
  }
  return sheets.map(({ name }) => {
    const to = renamed.get(name) ?? name;
    const { leftBehind } = copySheet(source, name, target, to);
    followRenames(target, to, renamed);
    return { file, sheet: name, as: to, ...(leftBehind.length === 0 ? {} : { leftBehind }) };
  });
}

function freeSheetName(name: string, taken: readonly string[]): string {
  const isTaken = (candidate: string) => taken.some((each) => sameSheet(each, candidate));
  let free = name;
  for (let number = 2; isTaken(free); number += 1) {
    const suffix = ` (${number})`;
    free = `${name.slice(0, 31 - suffix.length)}${suffix}`;
  }
  return free;
}

/** Formulas between the sheets of one file still mean each other. */
function followRenames(target: Workbook, sheet: string, renamed: ReadonlyMap<string, string>): void {
  const changes = [...renamed].filter(([from, to]) => from !== to && to !== sheet);
  for (const element of walkXml(target.sheet(sheet).root)) {
    if (!["f", "formula", "formula1", "formula2"].includes(element.name)) continue;
    const before = textOf(element);
    if (before === "") continue;
    element.children = [changes.reduce((text, [from, to]) => renameInFormula(text, from, to), before)];
  }
}
