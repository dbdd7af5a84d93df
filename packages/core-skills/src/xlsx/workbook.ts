import { clip } from "../shared/bounded.ts";
import type { InputFile } from "../shared/input-file.ts";
import { inputError, ScriptError, usageError } from "../shared/script-error.ts";
import type { XmlElement } from "../shared/xml.ts";
import { blankParts } from "./blank-workbook.ts";
import { EditLog } from "./edit-log.ts";
import { sameSheet } from "./formula.ts";
import { PartStore } from "./part-store.ts";
import { Sheet } from "./sheet.ts";
import { spillMark } from "./spill-metadata.ts";
import { StyleTable } from "./style-table.ts";
import { childOf, childrenOf, makeElement } from "./xml.ts";

/** A sheet in the list of the workbook. */
export interface SheetEntry {
  readonly name: string;
  /** The name of its part. */
  readonly part: string;
  readonly state: "visible" | "hidden" | "veryHidden";
  /** Chart sheets have no cells. */
  readonly hasCells: boolean;
  readonly element: XmlElement;
}

const SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml";
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** A workbook over the parts of its file. Parts that are not requested stay unchanged. */
export class Workbook {
  readonly parts: PartStore;
  readonly part: string;
  readonly styles: StyleTable;
  readonly is1904: boolean;
  /** The file that was opened; undefined for a new workbook. */
  readonly source: InputFile | undefined;
  readonly edits = new EditLog();
  readonly #sheets = new Map<string, Sheet>();
  #strings: readonly XmlElement[] | undefined;

  private constructor(parts: PartStore, source?: InputFile) {
    this.parts = parts;
    this.source = source;
    this.part = findWorkbook(parts);
    const properties = childOf(parts.read(this.part), "workbookPr");
    this.is1904 = ["1", "true"].includes(properties?.attributes.get("date1904") ?? "");
    this.styles = new StyleTable(parts, this.#related("styles") ?? this.#addStyles());
  }

  static open(file: InputFile): Workbook {
    return new Workbook(PartStore.open(file), file);
  }

  /** A workbook without sheets: it has to get one before it is written. */
  static blank(): Workbook {
    return new Workbook(new PartStore(blankParts(), "the new workbook"));
  }

  get root(): XmlElement {
    const root = this.parts.read(this.part);
    if (root === undefined) throw inputError("BROKEN_FILE", `${this.parts.file} has no ${this.part}.`);
    return root;
  }

  get sheets(): readonly SheetEntry[] {
    const relations = new Map(this.parts.relations(this.part).map((each) => [each.id, each]));
    return childrenOf(childOf(this.root, "sheets"), "sheet").flatMap((element) => {
      const relation = relations.get(relationId(element) ?? "");
      if (relation === undefined) return [];
      const state = element.attributes.get("state");
      return {
        name: element.attributes.get("name") ?? "",
        part: relation.target,
        state: state === "hidden" || state === "veryHidden" ? state : "visible",
        hasCells: relation.kind === "worksheet",
        element,
      };
    });
  }

  /** The strings that cells share. */
  get strings(): readonly XmlElement[] {
    this.#strings ??= childrenOf(this.parts.read(this.#related("sharedStrings") ?? ""), "si");
    return this.#strings;
  }

  find(name: string): SheetEntry {
    const found = this.sheets.find((each) => sameSheet(each.name, name));
    if (found !== undefined) return found;
    const names = this.sheets.map((each) => clip(each.name, 31)).slice(0, 20);
    throw new ScriptError("SHEET_NOT_FOUND", `There is no sheet ${clip(name, 40)} in ${this.parts.file}.`, {
      hint: `Its sheets are ${names.join(", ")}.`,
    });
  }

  /** The sheet of that name; the first sheet without a name. */
  sheet(name?: string): Sheet {
    const entry = name === undefined ? this.sheets.find(({ hasCells }) => hasCells) : this.find(name);
    if (entry === undefined) throw inputError("NO_SHEET", `${this.parts.file} has no sheet with cells.`);
    if (!entry.hasCells) throw inputError("NO_CELLS", `${clip(entry.name, 40)} is a sheet without cells.`);
    const known = this.#sheets.get(entry.part);
    if (known !== undefined && known.name === entry.name) return known;
    const root = this.parts.read(entry.part);
    if (root === undefined) throw inputError("BROKEN_FILE", `${this.parts.file} has no ${entry.part}.`);
    const { styles, is1904 } = this;
    const change = () => void this.parts.change(entry.part);
    const sheet = new Sheet(entry.name, root, {
      styles,
      is1904,
      change,
      touch: (address) => this.edits.touch(entry.part, address),
      spillMark: () => spillMark(this.parts, this.part),
    });
    this.#sheets.set(entry.part, sheet);
    return sheet;
  }

  /** Drops the parsed form of a sheet. Contract: the sheet was not changed. */
  release({ part }: SheetEntry): void {
    this.#sheets.delete(part);
    this.parts.release(part);
  }

  /** All sheets that have cells. */
  get grids(): readonly Sheet[] {
    return this.sheets.filter(({ hasCells }) => hasCells).map(({ name }) => this.sheet(name));
  }

  /** Adds an empty sheet at the end, or with the given tree. */
  addSheet(name: string, root: XmlElement = emptySheet()): SheetEntry {
    this.rejectName(name);
    const part = freeName(this.parts, "xl/worksheets/sheet", ".xml");
    this.parts.put(part, root, SHEET_TYPE);
    const workbook = this.parts.change(this.part);
    const list = childOf(workbook, "sheets");
    if (list === undefined) throw inputError("BROKEN_FILE", `${this.parts.file} has no list of sheets.`);
    const ids = childrenOf(list).map((each) => Number(each.attributes.get("sheetId") ?? 0));
    const sheetId = String(Math.max(0, ...ids) + 1);
    const id = this.parts.relate(this.part, "worksheet", part);
    workbook.attributes.set("xmlns:r", RELATIONS);
    list.appendChild(makeElement("sheet", { name, sheetId, "r:id": id }));
    return this.find(name);
  }

  rejectName(name: string): void {
    if (!isSheetName(name)) {
      throw usageError(
        `${clip(JSON.stringify(name), 60)} is not a valid sheet name.`,
        "Names have 1 to 31 characters, none of : \\ / ? * [ ], and no apostrophe at an end.",
      );
    }
    if (!this.sheets.some((each) => sameSheet(each.name, name))) return;
    throw new ScriptError("SHEET_EXISTS", `There is already a sheet ${name}.`);
  }

  /**
   * Drops all stored results, and makes programs calculate when they open the file. A stale result would stay wrong even
   * after LibreOffice has opened and saved the file. Returns the number of formulas.
   */
  forgetResults(): number {
    const count = this.grids.reduce((sum, sheet) => sum + sheet.forgetResults(), 0);
    this.#requestCalculation(count > 0);
    return count;
  }

  /** Keeps stored results, and makes programs calculate the formulas without a result. Returns their number. */
  keepResults(): number {
    const count = this.grids.reduce((sum, sheet) => sum + countUncalculated(sheet), 0);
    if (count > 0) this.#requestCalculation(true);
    return count;
  }

  #requestCalculation(isNeeded: boolean): void {
    const chain = this.parts.relations(this.part).find(({ kind }) => kind === "calcChain");
    if (chain !== undefined) {
      this.parts.unrelate(this.part, chain.id);
      this.parts.remove(chain.target);
    }
    if (isNeeded) insertInOrder(this.parts.change(this.part), "calcPr").attributes.set("fullCalcOnLoad", "1");
  }

  toBytes(): Uint8Array {
    if (this.sheets.length === 0) throw usageError("A workbook has at least one sheet.");
    for (const sheet of this.#sheets.values()) sheet.updateDimension();
    return this.parts.toBytes();
  }

  #related(kind: string): string | undefined {
    return this.parts.relations(this.part).find((each) => each.kind === kind)?.target;
  }

  #addStyles(): string {
    const name = "xl/styles.xml";
    const styles = blankParts().get(name) ?? new Uint8Array();
    const blank = new PartStore(new Map([[name, styles]]), "the new workbook").change(name);
    this.parts.put(name, blank, "application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml");
    this.parts.relate(this.part, "styles", name);
    return name;
  }
}

function countUncalculated(sheet: Sheet): number {
  let count = 0;
  for (const { element } of sheet.cells()) {
    if (childOf(element, "f") !== undefined && childOf(element, "v") === undefined) count += 1;
  }
  return count;
}

/** The order of what a workbook part holds, as far as anything is added to it. */
const ORDER = ["fileVersion", "workbookPr", "bookViews", "sheets", "definedNames", "calcPr"];

/** The child of that name, made in its place when it is missing. */
export function insertInOrder(root: XmlElement, name: string): XmlElement {
  const known = childOf(root, name);
  if (known !== undefined) return known;
  const element = makeElement(name);
  const earlier = ORDER.slice(0, ORDER.indexOf(name));
  const index = root.children.findLastIndex(
    (node) => typeof node !== "string" && earlier.includes(node.name),
  );
  root.insertAt(index + 1, element);
  return element;
}

export function relationId(element: XmlElement): string | undefined {
  for (const [name, value] of element.attributes) if (name.endsWith(":id")) return value;
  return undefined;
}

/** The first name with a number that no part has. */
export function freeName(parts: PartStore, stem: string, extension: string): string {
  let number = 1;
  while (parts.has(`${stem}${number}${extension}`)) number += 1;
  return `${stem}${number}${extension}`;
}

function isSheetName(name: string): boolean {
  return name.length <= 31 && /^[^'\\/?*[\]:]([^\\/?*[\]:]*[^'\\/?*[\]:])?$/.test(name) && name.trim() !== "";
}

function emptySheet(): XmlElement {
  return makeElement("worksheet", { xmlns: MAIN, "xmlns:r": RELATIONS }, [
    makeElement("dimension", { ref: "A1" }),
    makeElement("sheetData"),
  ]);
}

function findWorkbook(parts: PartStore): string {
  const name = parts.relations("").find(({ kind }) => kind === "officeDocument")?.target;
  const root = name?.endsWith(".bin") === true ? undefined : parts.read(name ?? "");
  if (name !== undefined && root?.name === "workbook") return name;
  const isBinary = name?.endsWith(".bin") === true;
  throw inputError(
    "NOT_A_WORKBOOK",
    isBinary
      ? `${parts.file} is a binary Excel workbook (.xlsb), which this script cannot read.`
      : `${parts.file} is not an Excel workbook.`,
    "The script reads .xlsx, .xlsm, .xltx and .xltm files. Save .xls, .xlsb and .ods files as .xlsx first.",
  );
}
