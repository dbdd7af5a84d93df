import { defineCommand, type JsonObject } from "../shared/command.ts";
import { type InputFile, readInput } from "../shared/input-file.ts";
import { convertWithLibreOffice, findLibreOffice } from "../shared/libre-office.ts";
import { chooseOutput, editOptions } from "../shared/output-file.ts";
import { usageError } from "../shared/script-error.ts";
import type { XmlElement } from "../shared/xml.ts";
import { Calculator } from "./calculation.ts";
import { CellError, NotCalculable, type Scalar } from "./calculation-value.ts";
import { formatAddress } from "./cell-address.ts";
import { readCell } from "./cell-content.ts";
import { cellSource } from "./cell-source.ts";
import { saveWorkbook } from "./save.ts";
import type { PlacedCell, Sheet } from "./sheet.ts";
import { Workbook } from "./workbook.ts";
import { childOf, isElement, makeElement, textOf } from "./xml.ts";

const LISTED = 50;
const ENGINES = ["auto", "builtin", "libreoffice"];

export const recalculateCommand = defineCommand({
  name: "recalculate",
  summary: "Calculate formulas and store their results, and list cells with errors",
  operands: { label: "<file>", min: 1, max: 1 },
  options: {
    ...editOptions,
    engine: { type: "string", value: "name", help: "auto (default), builtin or libreoffice" },
  },
  details: `
auto uses LibreOffice where it is installed, and the built-in engine otherwise. The built-in engine knows about 110 common
functions. It leaves a formula that it does not fully understand without a result, and lists it in "notCalculated";
a spreadsheet program calculates it on opening. Only results change: formulas, values and formats stay.

Example: recalculate plan.xlsx --in-place`,
  async run({ operands: [path = ""], options }, io): Promise<JsonObject> {
    const wanted = options.engine ?? "auto";
    if (!ENGINES.includes(wanted)) throw usageError(`--engine is one of ${ENGINES.join(", ")}.`);
    const file = await readInput(path, io);
    const output = await chooseOutput(options, [file], io);
    const workbook = Workbook.open(file);
    const engine = wanted === "auto" ? (findLibreOffice() === undefined ? "builtin" : "libreoffice") : wanted;
    const calculate = engine === "builtin" ? builtIn(workbook) : await withLibreOffice(workbook, file);
    const report = storeResults(workbook, calculate);
    const saved = await saveWorkbook(workbook, output, "sheets");
    return { engine, ...report, ...saved };
  },
});

/** Calculates all formulas with the built-in engine, and stores their results. */
export function recalculateWorkbook(workbook: Workbook): JsonObject {
  return storeResults(workbook, builtIn(workbook));
}

/** Calculates one cell; undefined when the engine cannot. */
type Calculate = (sheet: Sheet, placed: PlacedCell) => Scalar | NotCalculable;

function builtIn(workbook: Workbook): Calculate {
  const calculator = new Calculator(cellSource(workbook));
  return (sheet, placed) => {
    try {
      return calculator.cell(sheet.name, placed);
    } catch (error) {
      if (error instanceof NotCalculable) return error;
      throw error;
    }
  };
}

/** LibreOffice calculates formulas that have no stored result, so that a copy without results is given to it. */
async function withLibreOffice(workbook: Workbook, file: InputFile): Promise<Calculate> {
  const blank = Workbook.open(file);
  blank.forgetResults();
  const bytes = await convertWithLibreOffice(
    { ...file, bytes: blank.toBytes() },
    ".xlsx",
    "xlsx:Calc MS Excel 2007 XML",
  );
  const calculated = Workbook.open({ ...file, bytes });
  const positions = new Map(workbook.sheets.map(({ name }, index) => [name, index]));
  return (sheet, placed) => {
    const entry = calculated.sheets[positions.get(sheet.name) ?? -1];
    const element = entry?.hasCells === true ? calculated.sheet(entry.name).cell(placed) : undefined;
    const result = element === undefined ? null : rawValue(element, calculated);
    const isUnknown = result instanceof CellError && ["#NAME?", "Err:508"].includes(result.code);
    return isUnknown ? new NotCalculable("a function that LibreOffice does not have") : result;
  };
}

/** The stored value as it is in the file: dates stay numbers. */
function rawValue(element: XmlElement, workbook: Workbook): Scalar {
  const raw = textOf(childOf(element, "v"));
  const content = readCell(element, workbook);
  if (content.type === "error") return new CellError(raw);
  if (content.type === "date") return element.attributes.get("t") === "d" ? null : Number(raw);
  return content.value;
}

function storeResults(workbook: Workbook, calculate: Calculate): JsonObject {
  const errors: JsonObject[] = [];
  const missing: JsonObject[] = [];
  let [formulas, calculated] = [0, 0];
  for (const sheet of workbook.grids) {
    for (const placed of sheet.cells()) {
      const formula = sheet.formulaOf(placed);
      if (formula === undefined || formula === "") continue;
      formulas += 1;
      const where = { sheet: sheet.name, cell: formatAddress(placed) };
      const isArray = childOf(placed.element, "f")?.attributes.get("t") === "array";
      const result = isArray ? new NotCalculable("an array formula") : calculate(sheet, placed);
      if (result instanceof NotCalculable) {
        missing.push({ ...where, formula: `=${formula.slice(0, 100)}`, reason: result.message });
        storeResult(sheet, placed, undefined);
        continue;
      }
      calculated += 1;
      if (result instanceof CellError)
        errors.push({ ...where, error: result.code, formula: `=${formula.slice(0, 100)}` });
      storeResult(sheet, placed, result);
    }
  }
  return {
    formulas,
    calculated,
    errors: errors.slice(0, LISTED),
    errorCount: errors.length,
    ...(missing.length === 0
      ? {}
      : { notCalculated: missing.slice(0, LISTED), notCalculatedCount: missing.length }),
  };
}

/** Replaces the stored result of a formula. Without one, a program calculates the cell when it opens the file. */
function storeResult(sheet: Sheet, placed: PlacedCell, result: Scalar | undefined): void {
  const element = sheet.make(placed);
  element.children = element.children.filter((node) => isElement(node) && node.name === "f");
  element.attributes.delete("t");
  if (result === undefined || result === null) return;
  const [type, text] = describe(result);
  if (type !== undefined) element.attributes.set("t", type);
  element.appendChild(makeElement("v", {}, [text]));
}

function describe(result: Exclude<Scalar, null>): readonly [string | undefined, string] {
  if (result instanceof CellError) return ["e", result.code];
  if (typeof result === "boolean") return ["b", result ? "1" : "0"];
  return typeof result === "number" ? [undefined, String(result)] : ["str", result];
}
