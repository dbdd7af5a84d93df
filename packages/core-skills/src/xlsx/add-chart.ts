import {
  type ChartData,
  type ChartSeries,
  type ChartType,
  chartTypes,
  chartXml,
} from "../shared/chart-xml.ts";
import type { JsonObject, JsonValue } from "../shared/command.ts";
import { usageError } from "../shared/script-error.ts";
import { type CellRange, formatRange, readAddress, readRange } from "./cell-address.ts";
import { type CellContent, readCell } from "./cell-content.ts";
import { quoteSheet } from "./formula.ts";
import {
  isJsonObject,
  optionalString,
  readList,
  readNumber,
  readObject,
  readString,
  rejectUnknown,
} from "./json-shape.ts";
import { DATE_FORMAT } from "./number-format.ts";
import { isoToSerial } from "./serial-date.ts";
import type { Sheet } from "./sheet.ts";
import { sheetChild } from "./sheet-part.ts";
import { freeName, type Workbook } from "./workbook.ts";
import { childrenOf, parsePart } from "./xml.ts";

export const CHART_KEYS = [
  "sheet",
  "type",
  "title",
  "categories",
  "series",
  "at",
  "columns",
  "rows",
] as const;

const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const DRAWING = "http://schemas.openxmlformats.org/drawingml/2006";
const MAX_POINTS = 10_000;
const LOOK = { colors: ["4472C4", "ED7D31", "A5A5A5", "FFC000", "5B9BD5", "70AD47"], points: 10 };

/** Adds a chart to a sheet, over cells of this or another sheet. */
export function addChart(workbook: Workbook, sheet: Sheet, step: JsonObject, where: string): JsonObject {
  const type = readType(step["type"], where);
  const categories =
    step["categories"] === undefined
      ? undefined
      : readData(workbook, sheet, step["categories"], `${where}.categories`);
  const series = readList(step["series"], `${where}.series`).map((each, index) =>
    readSeries(workbook, sheet, each, `${where}.series[${index}]`),
  );
  if (series.length === 0) throw usageError(`${where}.series is empty.`);
  const title = optionalString(step["title"], `${where}.title`);
  const place = readAddress(optionalString(step["at"], `${where}.at`) ?? defaultPlace(sheet));
  const size = {
    columns: readNumber(step["columns"] ?? 8, `${where}.columns`, { min: 1, max: 100 }),
    rows: readNumber(step["rows"] ?? 16, `${where}.rows`, { min: 1, max: 500 }),
  };
  const part = freeName(workbook.parts, "xl/charts/chart", ".xml");
  const tree = parsePart(chartXml({ type, title, categories, series, look: LOOK }), part);
  workbook.parts.put(part, tree, "application/vnd.openxmlformats-officedocument.drawingml.chart+xml");
  anchor(workbook, sheet, part, place, size);
  return { chart: type, series: series.length, at: `${step["at"] ?? defaultPlace(sheet)}` };
}

function readType(value: JsonValue | undefined, where: string): ChartType {
  const found = chartTypes.find((type) => type === (value ?? "column"));
  if (found !== undefined) return found;
  throw usageError(`${where}.type must be one of ${chartTypes.join(", ")}.`);
}

function readSeries(workbook: Workbook, sheet: Sheet, value: JsonValue, where: string): ChartSeries {
  if (typeof value === "string") return { name: undefined, values: readData(workbook, sheet, value, where) };
  const series = readObject(value, where);
  rejectUnknown(series, ["name", "values", "x"], where);
  const name = series["name"];
  const isCell = typeof name === "string" && name.startsWith("=");
  return {
    name: isCell
      ? readData(workbook, sheet, name.slice(1), `${where}.name`)
      : optionalString(name, `${where}.name`),
    values: readData(workbook, sheet, series["values"], `${where}.values`),
    ...(series["x"] === undefined ? {} : { x: readData(workbook, sheet, series["x"], `${where}.x`) }),
  };
}

/** Reads `B2:B9` or `'Other Sheet'!B2:B9`, one row or one column. */
function readData(workbook: Workbook, sheet: Sheet, value: JsonValue | undefined, where: string): ChartData {
  const text = isJsonObject(value) ? "" : readString(value, where).replace(/^=/, "");
  const found = /^(?:(?:'((?:[^']|'')+)'|([^'!]+))!)?([^!]+)$/.exec(text);
  const name = found?.[1]?.replaceAll("''", "'") ?? found?.[2];
  const source = name === undefined ? sheet : workbook.sheet(name);
  const range = readRange(found?.[3] ?? "");
  const size = (range.bottom - range.top + 1) * (range.right - range.left + 1);
  if (size > MAX_POINTS) throw usageError(`${where} has ${size} cells; ${MAX_POINTS} is the maximum.`);
  return {
    formula: `${quoteSheet(source.name)}!${absolute(range)}`,
    ...valuesOf(workbook, source, range),
  };
}

function absolute(range: CellRange): string {
  return formatRange(range).replace(/([A-Z]+)(\d+)/g, "$$$1$$$2");
}

/** The values of cells as a chart stores them. Dates are numbers, if all values are dates. */
export function valuesOf(
  workbook: Workbook,
  sheet: Sheet,
  range: CellRange,
): Pick<ChartData, "values" | "dateFormat"> {
  const contents: CellContent[] = [];
  for (let row = range.top; row <= range.bottom; row += 1) {
    for (let column = range.left; column <= range.right; column += 1) {
      const element = sheet.cell({ row, column });
      contents.push(element === undefined ? { type: "empty", value: null } : readCell(element, workbook));
    }
  }
  const filled = contents.filter(({ type }) => type !== "empty");
  const isDated = filled.length > 0 && filled.every(({ type }) => type === "date");
  const values = contents.map(({ value }) => {
    if (isDated) return value === null ? null : (isoToSerial(String(value), workbook.is1904) ?? null);
    return typeof value === "boolean" ? String(value) : value;
  });
  return { values, dateFormat: isDated ? DATE_FORMAT : undefined };
}

/** Right of the cells in use. */
function defaultPlace(sheet: Sheet): string {
  const used = sheet.usedRange();
  return formatRange({ top: 2, bottom: 2, left: (used?.right ?? 0) + 2, right: (used?.right ?? 0) + 2 });
}

function anchor(
  workbook: Workbook,
  sheet: Sheet,
  chart: string,
  { row, column }: { readonly row: number; readonly column: number },
  { columns, rows }: { readonly columns: number; readonly rows: number },
): void {
  const drawing = drawingOf(workbook, sheet);
  const root = workbook.parts.change(drawing);
  const id = workbook.parts.relate(drawing, "chart", chart);
  const number = root.children.length + 2;
  const corner = (name: string, x: number, y: number) =>
    `<xdr:${name}><xdr:col>${x}</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>${y}</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:${name}>`;
  const frame =
    `<xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="${number}" name="Chart ${number}"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr>` +
    '<xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic>' +
    `<a:graphicData uri="${DRAWING}/chart"><c:chart xmlns:c="${DRAWING}/chart" xmlns:r="${OFFICE}" r:id="${id}"/></a:graphicData></a:graphic></xdr:graphicFrame>`;
  const text =
    `<xdr:wsDr xmlns:xdr="${DRAWING}/spreadsheetDrawing" xmlns:a="${DRAWING}/main"><xdr:twoCellAnchor>${corner("from", column - 1, row - 1)}` +
    `${corner("to", column - 1 + columns, row - 1 + rows)}${frame}<xdr:clientData/></xdr:twoCellAnchor></xdr:wsDr>`;
  // The reader takes the prefix of the root off, and the writer of the drawing puts its own there.
  for (const anchor of childrenOf(parsePart(text, drawing))) root.appendChild(anchor);
}

function drawingOf(workbook: Workbook, sheet: Sheet): string {
  const { part } = workbook.find(sheet.name);
  const known = workbook.parts.relations(part).find(({ kind }) => kind === "drawing")?.target;
  if (known !== undefined && workbook.parts.has(known)) return known;
  const name = freeName(workbook.parts, "xl/drawings/drawing", ".xml");
  const empty = `<xdr:wsDr xmlns:xdr="${DRAWING}/spreadsheetDrawing" xmlns:a="${DRAWING}/main"></xdr:wsDr>`;
  workbook.parts.put(
    name,
    parsePart(empty, name),
    "application/vnd.openxmlformats-officedocument.drawing+xml",
  );
  const root = workbook.parts.change(part);
  const id = workbook.parts.relate(part, "drawing", name);
  const element = sheetChild(root, "drawing");
  // A link to a drawing that is missing is replaced.
  for (const [attribute] of [...element.attributes]) element.attributes.delete(attribute);
  root.attributes.set("xmlns:r", OFFICE);
  element.attributes.set("r:id", id);
  return name;
}
