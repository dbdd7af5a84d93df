import { childOf, childrenOf, descendantsOf, type Tag } from "../shared/office-xml.ts";
import type { XmlElement } from "../shared/xml.ts";
import { type CellRange, parseRange } from "../xlsx/cell-address.ts";
import { type CellInput, dateInput, textInput } from "../xlsx/cell-input.ts";
import type { Sheet } from "../xlsx/sheet.ts";
import type { ChartSpec } from "./slide-spec.ts";

/** The columns of a sheet that a chart shows. The names of series are in the row above the first value. */
export interface ChartTable {
  readonly sheet: string;
  /** The row of the first value. */
  readonly top: number;
  readonly categories: number;
  readonly series: readonly { readonly values: number; readonly x?: number | undefined }[];
  /** The number of rows with values. */
  readonly rows: number;
}

const SHEET = "Sheet1";

/** The table of a new workbook. Series of a scatter chart share the first column if they have the same x. */
export function newTable({ kind, series, categories }: ChartSpec): ChartTable {
  const [first] = series;
  const rows = Math.max(categories.length, ...series.map(({ values }) => values.length));
  const isShared = series.every(({ x }) => String(x) === String(first?.x));
  const columns = series.map((_, index) => {
    if (kind !== "scatter") return { values: index + 2 };
    return isShared ? { values: index + 2, x: 1 } : { values: index * 2 + 2, x: index * 2 + 1 };
  });
  return { sheet: SHEET, top: 2, categories: 1, series: columns, rows };
}

/** Reads which cells a chart shows; undefined unless they are columns side by side, with names above. */
export function readTable(plot: XmlElement): ChartTable | undefined {
  const series = childrenOf(plot, "c:ser").map((each) => ({
    name: rangeIn(each, "c:tx"),
    values: rangeIn(each, "c:val") ?? rangeIn(each, "c:yVal"),
    x: rangeIn(each, "c:xVal"),
    categories: rangeIn(each, "c:cat"),
  }));
  const [first] = series;
  if (first?.values === undefined) return undefined;
  const { sheet, range } = first.values;
  const { top, bottom } = range;
  const isColumn = (place: Place | undefined): place is Place =>
    place !== undefined &&
    place.sheet === sheet &&
    place.range.left === place.range.right &&
    place.range.top === top &&
    place.range.bottom === bottom;
  const isRegular = series.every(
    ({ name, values, x, categories }) =>
      isColumn(values) &&
      (x === undefined ? isColumn(categories) : isColumn(x)) &&
      name?.sheet === sheet &&
      name.range.top === top - 1 &&
      name.range.left === values.range.left,
  );
  if (!isRegular) return undefined;
  return {
    sheet,
    top,
    categories: first.categories?.range.left ?? first.x?.range.left ?? 1,
    series: series.map(({ values, x }) => ({ values: values?.range.left ?? 0, x: x?.range.left })),
    rows: bottom - top + 1,
  };
}

interface Place {
  readonly sheet: string;
  readonly range: CellRange;
}

function rangeIn(series: XmlElement, tag: Tag): Place | undefined {
  const holder = childOf(series, tag);
  const [formula] = holder === undefined ? [] : descendantsOf(holder, "c:f");
  const found = /^(?:'((?:[^']|'')+)'|([^'!]+))!([^!]+)$/.exec(formula?.textContent ?? "");
  const range = parseRange(found?.[3]?.replaceAll("$", "") ?? "");
  const sheet = found?.[1]?.replaceAll("''", "'") ?? found?.[2];
  return range === undefined || sheet === undefined ? undefined : { sheet, range };
}

/** Writes the data of a chart into its columns. */
export function writeTable(sheet: Sheet, table: ChartTable, chart: ChartSpec): void {
  const put = (row: number, column: number, input: CellInput) => sheet.set({ row, column }, input);
  for (const [index, text] of chart.categories.entries())
    put(
      table.top + index,
      table.categories,
      (chart.isDated ? dateInput(text) : undefined) ?? textInput(text),
    );
  for (const [index, { name, values, x }] of chart.series.entries()) {
    const columns = table.series[index];
    if (columns === undefined) continue;
    put(table.top - 1, columns.values, textInput(name));
    for (const [row, value] of values.entries()) put(table.top + row, columns.values, numberInput(value));
    for (const [row, value] of (x ?? []).entries()) put(table.top + row, columns.x ?? 1, numberInput(value));
  }
}

function numberInput(value: number | null): CellInput {
  return value === null ? { kind: "empty" } : { kind: "number", number: value };
}
