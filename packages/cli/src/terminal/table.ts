/** A column of a table for people. */
export interface Column {
  readonly title: string;
  /** Cells wider than this are cut on a terminal. */
  readonly most?: number;
}

export interface TableLayout {
  /** The terminal's width; undefined when lines may have any length. */
  readonly width: number | undefined;
  readonly paintTitle: (text: string) => string;
}

const GAP = "  ";
/** A narrower last column would be unreadable. */
const LAST_COLUMN = 30;

/** Formats aligned columns. On a terminal, the last column gets the remaining width, so that no line wraps. */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { width, paintTitle }: TableLayout,
): string {
  const shown = width === undefined ? columns.map((_, index) => index) : chooseColumns(columns, rows, width);
  const widths = shown.map((index) => columnWidth(columns[index], rows, index, width !== undefined));
  const last = shown.length - 1;
  if (width !== undefined) widths[last] = Math.max(1, width - 1 - usedBefore(widths, last));
  const format = (cells: readonly string[]) =>
    shown.map((index, at) => {
      const cell =
        width === undefined ? (cells[index] ?? "") : cutToWidth(cells[index] ?? "", widths[at] ?? 0);
      return at === last ? cell : padToWidth(cell, widths[at] ?? 0);
    });
  const line = (cells: readonly string[]) => format(cells).join(GAP).trimEnd();
  return [paintTitle(line(columns.map(({ title }) => title))), ...rows.map(line)]
    .map((text) => `${text}\n`)
    .join("");
}

/** On a narrow terminal, drops columns with the same value in every row, from the right. */
function chooseColumns(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly number[] {
  const shown = columns.map((_, index) => index);
  const last = columns.length - 1;
  for (let index = last - 1; index > 0; index -= 1) {
    const widths = shown.map((each) => columnWidth(columns[each], rows, each, true));
    if (width - usedBefore(widths, shown.length - 1) >= LAST_COLUMN) break;
    const isUniform = rows.every((cells) => cells[index] === rows[0]?.[index]);
    if (isUniform) shown.splice(shown.indexOf(index), 1);
  }
  return shown;
}

function columnWidth(
  column: Column | undefined,
  rows: readonly (readonly string[])[],
  index: number,
  isTerminal: boolean,
): number {
  const widest = rows.reduce((most, cells) => Math.max(most, textWidth(cells[index] ?? "")), 0);
  const most = isTerminal ? (column?.most ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
  return Math.max(textWidth(column?.title ?? ""), Math.min(widest, most));
}

function usedBefore(widths: readonly number[], last: number): number {
  return widths.slice(0, last).reduce((sum, each) => sum + each + GAP.length, 0);
}

/** The width of a text in terminal columns. */
export function textWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** The text, or as much of it as fits before an ellipsis. */
export function cutToWidth(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let used = 1;
  let kept = "";
  for (const character of text) {
    used += characterWidth(character);
    if (used > width) break;
    kept += character;
  }
  return width < 1 ? "" : `${kept.trimEnd()}…`;
}

function padToWidth(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - textWidth(text)));
}

const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u;

function characterWidth(character: string): number {
  if (/^[\p{M}\p{Default_Ignorable_Code_Point}]/u.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
