import type { Block, Inlines } from "../shared/block.ts";
import { colors, LEADING, type Sheet } from "./sheet.ts";
import { type Line, measure, type TypeStyle, widestWord, wrap } from "./typeset.ts";

type Table = Extract<Block, { readonly type: "table" }>;

const PADDING = 4;

/** Draws a table over as many pages as it takes, each with the header on top. */
export function drawTable(sheet: Sheet, table: Table): void {
  const { fonts, fontSize } = sheet.setup;
  const style = { size: fontSize * 0.92, fonts };
  const widths = fitColumns(table, sheet.width, style);
  const header = layRow(table.header, widths, { ...style, bold: true });
  const rows = table.rows.map((row) => layRow(row, widths, style));
  const headed = header.some((lines) => lines.some(({ width }) => width > 0));
  const drawHeader = () => {
    if (headed) drawRow(sheet, header, { table, widths, size: style.size, isHeader: true });
  };
  // A header must not stand alone at the foot of a page.
  sheet.need(heightOf(header, style.size) + heightOf(rows[0] ?? [], style.size));
  drawHeader();
  for (const row of rows) {
    for (const part of splitRow(row, sheet, style.size)) {
      if (heightOf(part, style.size) > sheet.room) {
        sheet.breakPage();
        drawHeader();
      }
      drawRow(sheet, part, { table, widths, size: style.size, isHeader: false });
    }
  }
}

type Row = readonly (readonly Line[])[];

/** Every column as wide as its longest text where there is room; else each gets a share, but not below its words. */
function fitColumns(table: Table, available: number, style: TypeStyle): readonly number[] {
  const columns = table.header.map((_, at) => [
    table.header[at] ?? [],
    ...table.rows.map((row) => row[at] ?? []),
  ]);
  const bold = { ...style, bold: true };
  const most = (cells: readonly Inlines[], read: typeof measure) =>
    Math.max(...cells.map((cell) => read(cell, bold))) + 2 * PADDING;
  const natural = columns.map((cells) => most(cells, measure));
  const total = sum(natural);
  if (total <= available) return natural.map((width) => width + ((available - total) * width) / total);
  const least = columns.map((cells) => Math.min(most(cells, widestWord), available / columns.length));
  const rest = available - sum(least);
  const wish = natural.map((width, at) => Math.max(0, width - (least[at] ?? 0)));
  return least.map((width, at) => width + (rest * (wish[at] ?? 0)) / (sum(wish) || 1));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function layRow(cells: readonly Inlines[], widths: readonly number[], style: TypeStyle): Row {
  return cells.map((cell, at) => wrap(cell, Math.max(1, (widths[at] ?? 0) - 2 * PADDING), style));
}

function heightOf(row: Row, size: number): number {
  return Math.max(1, ...row.map((lines) => lines.length)) * size * LEADING + 2 * PADDING;
}

/** A row higher than a page goes on in the next. */
function splitRow(row: Row, sheet: Sheet, size: number): readonly Row[] {
  const page = sheet.top - sheet.setup.margin - 4 * size * LEADING;
  const most = Math.max(1, Math.floor((page - 2 * PADDING) / (size * LEADING)));
  const count = Math.max(1, ...row.map((lines) => lines.length));
  return Array.from({ length: Math.ceil(count / most) }, (_, part) =>
    row.map((lines) => lines.slice(part * most, (part + 1) * most)),
  );
}

interface RowPlace {
  readonly table: Table;
  readonly widths: readonly number[];
  readonly size: number;
  readonly isHeader: boolean;
}

function drawRow(sheet: Sheet, row: Row, { table, widths, size, isHeader }: RowPlace): void {
  const height = heightOf(row, size);
  const { page, y: top } = sheet;
  let x = sheet.left;
  row.forEach((lines, at) => {
    const width = widths[at] ?? 0;
    page.drawRectangle({
      x,
      y: top - height,
      width,
      height,
      borderColor: colors.line,
      borderWidth: 0.6,
      ...(isHeader ? { color: colors.shade } : {}),
    });
    lines.forEach((line, index) => {
      const baseline = top - PADDING - size - index * size * LEADING;
      const align = table.align[at] ?? "left";
      sheet.drawLine(line, { x: x + PADDING, baseline, width: width - 2 * PADDING, size, align });
    });
    x += width;
  });
  sheet.advance(height);
}
