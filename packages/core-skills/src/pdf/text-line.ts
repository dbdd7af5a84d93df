/** A run of text and the box around it, in points from the lower left corner of the page. */
export interface TextRun {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** The size of the font. */
  readonly size: number;
}

/** The runs of text on one height, from left to right. */
export interface TextLine {
  readonly y: number;
  readonly size: number;
  readonly runs: readonly TextRun[];
}

/** Runs within half a letter of the same height are one line; lines go from top to bottom. */
export function groupLines(runs: readonly TextRun[]): readonly TextLine[] {
  const sorted = runs.filter(({ text }) => text.trim() !== "").sort((a, b) => b.y - a.y);
  const lines: { y: number; size: number; runs: TextRun[] }[] = [];
  for (const run of sorted) {
    const line = lines.at(-1);
    if (line !== undefined && line.y - run.y < Math.min(line.size, run.size) * 0.5) {
      line.runs.push(run);
      line.size = Math.max(line.size, run.size);
    } else lines.push({ y: run.y, size: run.size, runs: [run] });
  }
  return lines.map((line) => ({ ...line, runs: line.runs.sort((a, b) => a.x - b.x) }));
}

/** A piece of a line with a gap on either side. */
export interface Cell {
  readonly text: string;
  readonly left: number;
  readonly right: number;
}

/** Cuts a line where a gap is wider than between words; how wide is given in sizes of the font. */
export function splitCells(line: TextLine, width = CELL_GAP): readonly Cell[] {
  const cells: { text: string; left: number; right: number }[] = [];
  for (const run of line.runs) {
    const cell = cells.at(-1);
    const gap = cell === undefined ? 0 : run.x - cell.right;
    const limit = LIST_SIGN.test(cell?.text ?? "") ? SIGN_GAP : width;
    if (cell === undefined || gap > line.size * limit) {
      cells.push({ text: run.text, left: run.x, right: run.x + run.width });
      continue;
    }
    const isApart = gap > line.size * WORD_GAP && !/\s$/.test(cell.text) && !/^\s/.test(run.text);
    cell.text += `${isApart ? " " : ""}${run.text}`;
    cell.right = Math.max(cell.right, run.x + run.width);
  }
  return cells.map((cell) => ({ ...cell, text: cell.text.trim() }));
}

/** A blank is a quarter of the font size, so a gap of one font size separates cells. */
const CELL_GAP = 1;
const WORD_GAP = 0.15;
/** The sign of a list item stands further from its text, and is no cell. */
const SIGN_GAP = 3;
const LIST_SIGN = /^\s*(?:[•◦▪‣·*–-]|\d{1,3}[.)]|[a-z][.)])\s*$/i;

/** The text of a page line by line; a wider gap in a line is kept as several blanks, an empty line as a paragraph. */
export function formatLines(lines: readonly TextLine[]): string {
  return lines
    .map((line, index) => {
      const above = lines[index - 1];
      const isApart =
        above !== undefined && above.y - line.y > Math.max(above.size, line.size) * PARAGRAPH_GAP;
      const text = splitCells(line)
        .map((cell) => cell.text)
        .join("   ");
      return isApart ? `\n${text}` : text;
    })
    .join("\n");
}

const PARAGRAPH_GAP = 1.8;
