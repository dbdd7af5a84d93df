import type { CellAddress } from "./cell-address.ts";

export interface CellCount {
  readonly cells: number;
  readonly formulas: number;
}

/** What an edit is meant to change. The guard treats every other difference as a loss. Sheets go by their part. */
export class EditLog {
  readonly #touched = new Map<string, Set<string>>();
  readonly #moved = new Set<string>();
  readonly #lost = new Map<string, CellCount>();
  readonly #removed = new Set<string>();
  #isRewritten = false;

  touch(part: string, { row, column }: CellAddress): void {
    const known = this.#touched.get(part) ?? new Set();
    known.add(`${row},${column}`);
    this.#touched.set(part, known);
  }

  isTouched(part: string, { row, column }: CellAddress): boolean {
    return this.#touched.get(part)?.has(`${row},${column}`) ?? false;
  }

  /** Rows of the sheet move, and the given cells go with deleted rows. */
  moveRows(part: string, deleted: CellCount): void {
    const { cells, formulas } = this.lostIn(part);
    this.#moved.add(part);
    this.#lost.set(part, { cells: cells + deleted.cells, formulas: formulas + deleted.formulas });
    this.#isRewritten = true;
  }

  /** Formulas of all sheets get other text, such as another sheet name. */
  rewriteFormulas(): void {
    this.#isRewritten = true;
  }

  removeSheet(part: string): void {
    this.#removed.add(part);
    this.#isRewritten = true;
  }

  hasMoved(part: string): boolean {
    return this.#moved.has(part);
  }

  hasRemoved(part: string): boolean {
    return this.#removed.has(part);
  }

  get removesSheets(): boolean {
    return this.#removed.size > 0;
  }

  get deletesRows(): boolean {
    return [...this.#lost.values()].some(({ cells }) => cells > 0) || this.#moved.size > 0;
  }

  get isRewritten(): boolean {
    return this.#isRewritten;
  }

  /** The most cells and formulas that the sheet may lose. */
  lostIn(part: string): CellCount {
    return this.#lost.get(part) ?? { cells: 0, formulas: 0 };
  }

  touchedIn(part: string): number {
    return this.#touched.get(part)?.size ?? 0;
  }
}
