import { type Cell, splitCells, type TextLine } from "./text-line.ts";

/** Rows of cells, every row as long as the others. */
export type Table = readonly (readonly string[])[];

/**
 * Finds tables by position: at least two lines below each other that are cut into the same columns. A column is where
 * the cells of several lines overlap, so that numbers set to the right stay in theirs.
 */
export function findTables(lines: readonly TextLine[]): readonly Table[] {
  return groupBlocks(lines)
    .map(toTable)
    .filter((table) => table.length >= 2 && (table[0]?.length ?? 0) >= 2);
}

interface CutLine {
  readonly line: TextLine;
  readonly cells: readonly Cell[];
}

/** Lines of several cells that follow on each other, with the single cells between them that carry one on. */
function groupBlocks(lines: readonly TextLine[]): readonly (readonly CutLine[])[] {
  const blocks: CutLine[][] = [];
  let block: CutLine[] = [];
  for (const line of lines) {
    const cut = { line, cells: splitCells(line, CELL_GAP) };
    const last = block.at(-1);
    const isFar = last !== undefined && last.line.y - line.y > Math.max(last.line.size, line.size) * ROW_GAP;
    const isRow = cut.cells.length >= 2;
    const isRest = !isRow && !isFar && last !== undefined && carriesOn(cut, last, block);
    if (isFar || !(isRow || isRest)) {
      blocks.push(block);
      block = [];
    }
    if (isRow || isRest) block.push(cut);
  }
  return [...blocks, block];
}

/** Narrower than in running text: wide blanks there are at other places in every line, and make no column. */
const CELL_GAP = 0.6;
/** In sizes of the font, from one row to the next. */
const ROW_GAP = 3.5;

/** The rest of a cell that wraps: set in from the left, or closer to its row than rows are to each other. */
function carriesOn({ line, cells }: CutLine, last: CutLine, block: readonly CutLine[]): boolean {
  const left = Math.min(...block.map((each) => each.cells[0]?.left ?? 0));
  const gap = last.line.y - line.y;
  const isIndented = (cells[0]?.left ?? 0) > left + 1;
  const isClose = block.some((each, at) => {
    const above = block[at - 1];
    return above !== undefined && each.cells.length >= 2 && gap < (above.line.y - each.line.y) * 0.8;
  });
  return gap < line.size * 1.8 && (isIndented || isClose);
}

function toTable(block: readonly CutLine[]): Table {
  const columns = findColumns(block.flatMap(({ cells }) => cells));
  const rows: string[][] = [];
  for (const { cells } of block) {
    const row = columns.map(() => "");
    for (const cell of cells) {
      const column = columns.findIndex(({ left, right }) => cell.left <= right && cell.right >= left);
      if (column !== -1) row[column] = [row[column], cell.text].filter(Boolean).join(" ");
    }
    const above = rows.at(-1);
    // The rest of a cell that wraps stands alone in its line.
    if (cells.length === 1 && above !== undefined) {
      rows[rows.length - 1] = above.map((text, column) => [text, row[column]].filter(Boolean).join(" "));
    } else rows.push(row);
  }
  return mergeColumns(rows);
}

/** Neighbors that no row has text in both of are one column, set differently: a heading in the middle of its own. */
function mergeColumns(rows: readonly (readonly string[])[]): Table {
  let merged: readonly string[][] = rows.map(() => []);
  const width = rows[0]?.length ?? 0;
  for (let column = 0; column < width; column += 1) {
    const isApart = column === 0 || rows.some((row, at) => row[column] !== "" && merged[at]?.at(-1) !== "");
    merged = merged.map((row, at) => {
      const text = rows[at]?.[column] ?? "";
      return isApart ? [...row, text] : [...row.slice(0, -1), row.at(-1) || text];
    });
  }
  return merged;
}

function findColumns(cells: readonly Cell[]): readonly { left: number; right: number }[] {
  const columns: { left: number; right: number }[] = [];
  for (const { left, right } of [...cells].sort((a, b) => a.left - b.left)) {
    const column = columns.at(-1);
    if (column !== undefined && left <= column.right) column.right = Math.max(column.right, right);
    else columns.push({ left, right });
  }
  return columns;
}
