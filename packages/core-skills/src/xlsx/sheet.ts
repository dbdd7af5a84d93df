import { inputError, ScriptError } from "../shared/script-error.ts";
import type { XmlElement } from "../shared/xml.ts";
import {
  type CellAddress,
  type CellRange,
  columnLetters,
  formatAddress,
  formatRange,
  parseAddress,
  parseRange,
} from "./cell-address.ts";
import type { CellInput } from "./cell-input.ts";
import { type WriteContext, writeCell } from "./cell-write.ts";
import { slideFormula } from "./formula.ts";
import { childOf, childrenOf, makeElement, textOf } from "./xml.ts";

export interface SheetContext extends WriteContext {
  /** Called before the first change. */
  readonly change: () => void;
  /** Called for each cell whose content an edit replaces. */
  readonly touch: (address: CellAddress) => void;
}

/** A cell with its position. */
export interface PlacedCell extends CellAddress {
  readonly element: XmlElement;
}

interface SheetRow {
  readonly element: XmlElement;
  readonly cells: Map<number, XmlElement>;
}

/** The cells of one sheet, over the tree of its part. */
export class Sheet {
  readonly name: string;
  readonly root: XmlElement;
  readonly #context: SheetContext;
  readonly #data: XmlElement;
  #rows: Map<number, SheetRow> | undefined;
  #marks: Marks | undefined;

  constructor(name: string, root: XmlElement, context: SheetContext) {
    const data = childOf(root, "sheetData");
    if (data === undefined) throw inputError("BROKEN_FILE", `The sheet ${name} has no cells at all.`);
    this.name = name;
    this.root = root;
    this.#data = data;
    this.#context = context;
  }

  /** Yields the existing cells row by row, or only those inside a range. Cells added meanwhile may be skipped. */
  *cells(range?: CellRange): Generator<PlacedCell> {
    for (const [row, { cells }] of [...this.#index()]) {
      if (range !== undefined && (row < range.top || row > range.bottom)) continue;
      for (const [column, element] of [...cells]) {
        if (range === undefined || (column >= range.left && column <= range.right))
          yield { row, column, element };
      }
    }
  }

  cell({ row, column }: CellAddress): XmlElement | undefined {
    return this.#index().get(row)?.cells.get(column);
  }

  row(row: number): XmlElement | undefined {
    return this.#index().get(row)?.element;
  }

  /** The rectangle around all cells that hold something; undefined when the sheet is empty. */
  usedRange(): CellRange | undefined {
    let used: CellRange | undefined;
    for (const { row, column, element } of this.cells()) {
      if (element.children.length === 0) continue;
      used = {
        top: Math.min(used?.top ?? row, row),
        left: Math.min(used?.left ?? column, column),
        bottom: Math.max(used?.bottom ?? row, row),
        right: Math.max(used?.right ?? column, column),
      };
    }
    return used;
  }

  merges(): readonly CellRange[] {
    const merged = childrenOf(childOf(this.root, "mergeCells"), "mergeCell");
    return merged.flatMap((each) => parseRange(each.attributes.get("ref") ?? "") ?? []);
  }

  styleOf(element: XmlElement | undefined): number {
    return Number(element?.attributes.get("s") ?? 0);
  }

  /** The formula of a cell, including a shared formula; undefined for a cell without a formula. */
  formulaOf({ row, column, element }: PlacedCell): string | undefined {
    const formula = childOf(element, "f");
    if (formula === undefined) return undefined;
    const text = textOf(formula);
    if (text !== "" || formula.attributes.get("t") !== "shared") return text;
    const master = this.#masterOf(formula, { row, column });
    return master === undefined ? "" : slideFormula(master.text, row - master.row, column - master.column);
  }

  /** Puts a value into a cell. It keeps its look, unless the value comes with a format. */
  set(address: CellAddress, input: CellInput): void {
    this.#context.change();
    this.#rejectUnwritable(address);
    this.#context.touch(address);
    const existing = this.cell(address);
    if (input.kind === "empty" && existing === undefined) return;
    if (childOf(existing, "f")?.attributes.get("t") === "shared") this.expandShared();
    writeCell(this.make(address), input, address, this.#context);
    this.#forgetMarks(existing);
  }

  /** The element of a cell, made when it is missing. */
  make({ row, column }: CellAddress): XmlElement {
    this.#context.change();
    const { element: parent, cells } = this.#makeRow(row);
    const known = cells.get(column);
    if (known !== undefined) return known;
    const element = makeElement("c", { r: formatAddress({ row, column }) });
    const isLater = (node: XmlElement) =>
      (parseAddress(node.attributes.get("r") ?? "")?.column ?? 0) > column;
    const isLast = insertByNumber(parent, element, isLater);
    if (isLast) cells.set(column, element);
    else insertSorted(cells, column, element);
    return element;
  }

  /** Takes the cell out, with its look. */
  clear({ row, column }: CellAddress): void {
    const found = this.#index().get(row);
    const element = found?.cells.get(column);
    if (found === undefined || element === undefined) return;
    this.#context.change();
    found.element.children = found.element.children.filter((node) => node !== element);
    found.cells.delete(column);
  }

  /** Gives every cell that shares a formula its own copy. A cell whose master is missing stays as it is. */
  expandShared(): void {
    // The masters must be read first: this loop turns them into plain formulas.
    this.#readMarks();
    for (const placed of this.cells()) {
      const formula = childOf(placed.element, "f");
      if (formula?.attributes.get("t") !== "shared") continue;
      const text = this.formulaOf(placed) ?? "";
      if (text === "") continue;
      this.#context.change();
      formula.children = [text];
      for (const name of ["t", "si", "ref"]) formula.attributes.delete(name);
    }
    this.#marks = undefined;
  }

  /** Marks a cell as one whose content an edit replaces. */
  touch(address: CellAddress): void {
    this.#context.touch(address);
  }

  /** Drops the stored results of formulas, because an edit may have made them wrong. */
  forgetResults(): number {
    let count = 0;
    for (const { element } of this.cells()) {
      if (childOf(element, "f") === undefined) continue;
      count += 1;
      this.#context.change();
      element.children = element.children.filter((node) => typeof node !== "string" && node.name === "f");
      element.attributes.delete("t");
    }
    return count;
  }

  /** Makes room before row `at`, or takes rows away when the count is negative. Only the cells move. */
  moveRows(at: number, count: number): void {
    this.#context.change();
    const moved = [...this.#index()].flatMap(([row, { element, cells }]) => {
      if (row < at) return [element];
      if (count < 0 && row < at - count) return [];
      element.attributes.set("r", String(row + count));
      for (const [column, cell] of cells) cell.attributes.set("r", `${columnLetters(column)}${row + count}`);
      return [element];
    });
    this.#data.children = moved;
    this.#rows = undefined;
    this.#marks = undefined;
  }

  /** Writes the range of the used cells where readers look for it first. */
  updateDimension(): void {
    const used = this.usedRange();
    childOf(this.root, "dimension")?.attributes.set("ref", used === undefined ? "A1" : formatRange(used));
    for (const { element } of this.#index().values()) element.attributes.delete("spans");
  }

  #rejectUnwritable(address: CellAddress): void {
    const { merges, arrays } = this.#readMarks();
    const merge = merges.find((range) => isInside(address, range) && !isCorner(address, range));
    if (merge !== undefined) {
      const message = `${formatAddress(address)} is part of the merged cell ${formatRange(merge)}.`;
      const corner = formatAddress({ row: merge.top, column: merge.left });
      throw new ScriptError("CELL_MERGED", message, { hint: `Write to ${corner}.` });
    }
    const array = arrays.find(
      (range) => isInside(address, range) && formatRange(range) !== formatAddress(address),
    );
    if (array === undefined) return;
    const message = `${formatAddress(address)} belongs to the array formula of ${formatRange(array)}.`;
    throw new ScriptError("CELL_IN_ARRAY", message);
  }

  /** Only formulas and merges are marked: other values may come and go. */
  #forgetMarks(element: XmlElement | undefined): void {
    if (childOf(element, "f") !== undefined) this.#marks = undefined;
  }

  #readMarks(): Marks {
    if (this.#marks !== undefined) return this.#marks;
    const arrays: CellRange[] = [];
    const shared = new Map<string, SharedFormula[]>();
    for (const { row, column, element } of this.cells()) {
      const formula = childOf(element, "f");
      const kind = formula?.attributes.get("t");
      if (formula === undefined || kind === undefined) continue;
      const range = parseRange(formula.attributes.get("ref") ?? "");
      if (kind !== "shared" && range !== undefined) arrays.push(range);
      const text = textOf(formula);
      if (kind !== "shared" || text === "") continue;
      const index = formula.attributes.get("si") ?? "";
      shared.set(index, [...(shared.get(index) ?? []), { text, row, column, range }]);
    }
    this.#marks = { arrays, shared, merges: this.merges() };
    return this.#marks;
  }

  #masterOf(formula: XmlElement, address: CellAddress): SharedFormula | undefined {
    const masters = this.#readMarks().shared.get(formula.attributes.get("si") ?? "") ?? [];
    return masters.find(({ range }) => range !== undefined && isInside(address, range)) ?? masters.at(-1);
  }

  #makeRow(row: number): SheetRow {
    const rows = this.#index();
    const known = rows.get(row);
    if (known !== undefined) return known;
    const made = { element: makeElement("row", { r: String(row) }), cells: new Map<number, XmlElement>() };
    const isLater = (node: XmlElement) => Number(node.attributes.get("r")) > row;
    const isLast = insertByNumber(this.#data, made.element, isLater);
    if (isLast) rows.set(row, made);
    else insertSorted(rows, row, made);
    return made;
  }

  /** Rows and cells by number. Files may leave the numbers out; they are written in, so that all have one. */
  #index(): Map<number, SheetRow> {
    if (this.#rows !== undefined) return this.#rows;
    const rows = new Map<number, SheetRow>();
    let row = 0;
    for (const element of childrenOf(this.#data, "row")) {
      row = Number(element.attributes.get("r") ?? row + 1);
      element.attributes.set("r", String(row));
      rows.set(row, { element, cells: indexCells(element, row) });
    }
    this.#rows = rows;
    return rows;
  }
}

/** What of the sheet cannot be written over just so. */
interface Marks {
  readonly arrays: readonly CellRange[];
  readonly merges: readonly CellRange[];
  /** By index. Some writers use an index again, so the range decides. */
  readonly shared: ReadonlyMap<string, readonly SharedFormula[]>;
}

interface SharedFormula extends CellAddress {
  readonly text: string;
  readonly range: CellRange | undefined;
}

function indexCells(parent: XmlElement, row: number): Map<number, XmlElement> {
  const cells = new Map<number, XmlElement>();
  let column = 0;
  for (const element of childrenOf(parent, "c")) {
    column = parseAddress(element.attributes.get("r") ?? "")?.column ?? column + 1;
    element.attributes.set("r", formatAddress({ row, column }));
    cells.set(column, element);
  }
  return cells;
}

function isInside({ row, column }: CellAddress, { top, left, bottom, right }: CellRange): boolean {
  return row >= top && row <= bottom && column >= left && column <= right;
}

function isCorner({ row, column }: CellAddress, { top, left }: CellRange): boolean {
  return row === top && column === left;
}

/** Elements mostly come in order, so that no search is needed. Returns whether that was the case. */
function insertByNumber(
  parent: XmlElement,
  element: XmlElement,
  isLater: (node: XmlElement) => boolean,
): boolean {
  const last = parent.children.at(-1);
  const isLast = last === undefined || (typeof last !== "string" && !isLater(last));
  const index = isLast ? -1 : parent.children.findIndex((node) => typeof node !== "string" && isLater(node));
  parent.insertAt(index === -1 ? parent.children.length : index, element);
  return index === -1;
}

/** A map keeps the order of insertion. */
function insertSorted<Value>(map: Map<number, Value>, key: number, value: Value): void {
  const later = [...map].filter(([other]) => other > key);
  map.set(key, value);
  for (const [other, each] of later) {
    map.delete(other);
    map.set(other, each);
  }
}
