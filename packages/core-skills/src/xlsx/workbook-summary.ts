import type { InputFile } from "../shared/input-file.ts";
import { type OfficeParts, readOfficeZip } from "../shared/office-zip.ts";
import { inputError } from "../shared/script-error.ts";
import { MAX_ELEMENTS, scanXml } from "../shared/xml.ts";
import { type CellAddress, parseAddress } from "./cell-address.ts";
import { slideFormula } from "./formula.ts";
import { decodePart } from "./part-store.ts";
import { childrenOf, parsePart } from "./xml.ts";

/** Numbers about one sheet that two versions of a file can be compared by. */
export interface SheetSummary {
  cells: number;
  formulas: number;
  /** Formulas without text, which no program can calculate. */
  emptyFormulas: number;
  /** A sum over the address and content of each untouched cell; formulas apart from values. */
  readonly values: Checksum;
  readonly formulaTexts: Checksum;
  /** Counts of merged cells, validations, conditional formats, links and drawings. */
  readonly features: Map<string, number>;
}

export interface WorkbookSummary {
  readonly parts: ReadonlySet<string>;
  readonly sheets: ReadonlyMap<string, SheetSummary>;
}

const FEATURES: ReadonlySet<string> = new Set([
  "mergeCell",
  "dataValidation",
  "conditionalFormatting",
  "hyperlink",
  "drawing",
  "legacyDrawing",
  "tablePart",
  "autoFilter",
  "sheetProtection",
]);

/** Reads a workbook without building trees, so that large files fit into memory beside the one that was edited. */
export function summarizeWorkbook(
  file: InputFile,
  isTouched: (part: string, address: CellAddress) => boolean,
): WorkbookSummary {
  const parts = readOfficeZip(file);
  const budget = { left: MAX_ELEMENTS };
  const names = sheetParts(parts, file.path);
  const sheets = names.map((name) => {
    const text = decodePart(parts.get(name) ?? new Uint8Array());
    return [name, summarizeSheet(text, (address) => isTouched(name, address), file.path, budget)] as const;
  });
  return { parts: new Set(parts.keys()), sheets: new Map(sheets) };
}

function sheetParts(parts: OfficeParts, path: string): readonly string[] {
  const types = parts.get("[Content_Types].xml");
  if (types === undefined) return [];
  const overrides = childrenOf(parsePart(decodePart(types), path), "Override");
  const sheets = overrides.filter((each) => each.attributes.get("ContentType")?.endsWith("worksheet+xml"));
  return sheets
    .map((each) => each.attributes.get("PartName")?.slice(1) ?? "")
    .filter((name) => parts.has(name));
}

/** An order-independent sum of texts. */
export class Checksum {
  #first = 0;
  #second = 0;

  add(text: string): void {
    let [first, second] = [0x811c9dc5, 0x9747b28c];
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      first = Math.imul(first ^ code, 0x01000193);
      second = Math.imul(second ^ code, 0x85ebca6b) ^ (second >>> 13);
    }
    this.#first = (this.#first + first) | 0;
    this.#second = (this.#second + second) | 0;
  }

  equals(other: Checksum): boolean {
    return this.#first === other.#first && this.#second === other.#second;
  }
}

interface OpenCell extends CellAddress {
  readonly type: string;
  formula: { text: string; readonly index: string | undefined } | undefined;
  value: string;
}

function summarizeSheet(
  text: string,
  isTouched: (address: CellAddress) => boolean,
  path: string,
  budget: { left: number },
): SheetSummary {
  const summary: SheetSummary = {
    cells: 0,
    formulas: 0,
    emptyFormulas: 0,
    values: new Checksum(),
    formulaTexts: new Checksum(),
    features: new Map(),
  };
  const masters = new Map<string, CellAddress & { readonly text: string }>();
  let [row, column] = [0, 0];
  let cell: OpenCell | undefined;
  let inside: "f" | "v" | undefined;
  const open = (name: string, attributes: Readonly<Record<string, string>>) => {
    const local = name.slice(name.indexOf(":") + 1);
    budget.left -= 1;
    if (budget.left < 0) throw tooLarge(path);
    if (local === "row") {
      row = Number(attributes["r"] ?? row + 1);
      column = 0;
    } else if (local === "c") {
      column = parseAddress(attributes["r"] ?? "")?.column ?? column + 1;
      cell = { row, column, type: attributes["t"] ?? "", formula: undefined, value: "" };
    } else if (cell !== undefined && local === "f") {
      const index = attributes["t"] === "shared" ? attributes["si"] : undefined;
      cell.formula = { text: "", index };
      inside = "f";
    } else if (cell !== undefined && (local === "v" || local === "t")) inside = "v";
    else if (FEATURES.has(local)) summary.features.set(local, (summary.features.get(local) ?? 0) + 1);
  };
  const addText = (piece: string) => {
    if (cell === undefined || inside === undefined) return;
    if (inside === "f" && cell.formula !== undefined) cell.formula.text += piece;
    else cell.value += piece;
  };
  const close = (name: string) => {
    const local = name.slice(name.indexOf(":") + 1);
    if (local === "f" || local === "v" || local === "t") inside = undefined;
    if (local !== "c" || cell === undefined) return;
    addCell(summary, cell, masters, isTouched);
    cell = undefined;
  };
  scanXml(text, path, { open, text: addText, close });
  return summary;
}

function addCell(
  summary: SheetSummary,
  cell: OpenCell,
  masters: Map<string, CellAddress & { readonly text: string }>,
  isTouched: (address: CellAddress) => boolean,
): void {
  const { row, column, formula, value, type } = cell;
  if (formula === undefined && value === "") return;
  summary.cells += 1;
  if (formula === undefined) {
    if (!isTouched(cell)) summary.values.add(`${row},${column}:${type}:${value}`);
    return;
  }
  summary.formulas += 1;
  if (formula.index !== undefined && formula.text !== "")
    masters.set(formula.index, { row, column, text: formula.text });
  const master = masters.get(formula.index ?? "");
  const text =
    formula.text === "" && master !== undefined
      ? slideFormula(master.text, row - master.row, column - master.column)
      : formula.text;
  if (text === "") summary.emptyFormulas += 1;
  if (!isTouched(cell)) summary.formulaTexts.add(`${row},${column}:${text}`);
}

function tooLarge(path: string): Error {
  return inputError(
    "FILE_TOO_LARGE",
    `${path} has more than ${MAX_ELEMENTS} XML elements, about 900,000 cells.`,
    "Split the data over several workbooks.",
  );
}
