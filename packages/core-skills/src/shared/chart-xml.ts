import { escapeXml } from "./xml.ts";

export const chartTypes = ["column", "bar", "line", "area", "pie", "doughnut", "scatter"] as const;
export type ChartType = (typeof chartTypes)[number];

/** Cells that a chart reads: the formula, and the values that they have now. */
export interface ChartData {
  readonly formula: string;
  /** Dates are numbers of days, as cells store them. */
  readonly values: readonly (string | number | null)[];
  /** The number format of dates. */
  readonly dateFormat?: string | undefined;
}

export interface ChartSeries {
  readonly name: string | ChartData | undefined;
  readonly values: ChartData;
  /** The horizontal values of a scatter chart; by default the categories. */
  readonly x?: ChartData | undefined;
}

export interface ChartDescription {
  readonly type: ChartType;
  readonly title: string | undefined;
  readonly categories: ChartData | undefined;
  readonly series: readonly ChartSeries[];
  readonly look: ChartLook;
}

export interface ChartLook {
  /** Six hexadecimal digits each; series take them in turn. */
  readonly colors: readonly string[];
  readonly points: number;
}

/** Chart parts without this element have no workbook of their own. */
export const externalDataXml = (relation: string): string =>
  `<c:externalData r:id="${relation}"><c:autoUpdate val="0"/></c:externalData>`;

const DRAWING = "http://schemas.openxmlformats.org/drawingml/2006";
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const GRAY = "D9DCE3";

/** The XML of a chart part. Values are stored with it, so that programs show the chart before they calculate. */
export function chartXml(chart: ChartDescription, externalData = ""): string {
  const { title, look } = chart;
  const heading =
    title === undefined
      ? '<c:autoTitleDeleted val="1"/>'
      : `<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:pPr><a:defRPr sz="${(look.points + 2) * 100}" b="1"/></a:pPr><a:r><a:rPr lang="en-US" sz="${(look.points + 2) * 100}" b="1"/><a:t>${escapeXml(title)}</a:t></a:r></a:p></c:rich></c:tx><c:overlay val="0"/></c:title><c:autoTitleDeleted val="0"/>`;
  const hasLegend = isRound(chart.type) || chart.series.length > 1;
  const legend = hasLegend ? '<c:legend><c:legendPos val="b"/><c:overlay val="0"/></c:legend>' : "";
  return (
    `<c:chartSpace xmlns:c="${DRAWING}/chart" xmlns:a="${DRAWING}/main" xmlns:r="${RELATIONS}"><c:roundedCorners val="0"/><c:chart>${heading}` +
    `<c:plotArea><c:layout/>${plotXml(chart)}</c:plotArea>${legend}<c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart>` +
    `<c:txPr><a:bodyPr/><a:p><a:pPr><a:defRPr sz="${look.points * 100}"/></a:pPr><a:endParaRPr lang="en-US"/></a:p></c:txPr>${externalData}</c:chartSpace>`
  );
}

function isRound(type: ChartType): boolean {
  return type === "pie" || type === "doughnut";
}

function plotXml(chart: ChartDescription): string {
  const { type } = chart;
  const series = chart.series.map((each, index) => seriesXml(chart, each, index)).join("");
  const axes = '<c:axId val="111"/><c:axId val="222"/>';
  const varied = `<c:varyColors val="${isRound(type) ? 1 : 0}"/>`;
  switch (type) {
    case "column":
    case "bar":
      return `<c:barChart><c:barDir val="${type === "bar" ? "bar" : "col"}"/><c:grouping val="clustered"/>${varied}${series}<c:gapWidth val="80"/>${axes}</c:barChart>${axesXml(chart)}`;
    case "line":
      return `<c:lineChart><c:grouping val="standard"/>${varied}${series}<c:marker val="1"/>${axes}</c:lineChart>${axesXml(chart)}`;
    case "area":
      return `<c:areaChart><c:grouping val="standard"/>${varied}${series}${axes}</c:areaChart>${axesXml(chart)}`;
    case "scatter":
      return `<c:scatterChart><c:scatterStyle val="lineMarker"/>${varied}${series}${axes}</c:scatterChart>${axesXml(chart)}`;
    case "pie":
      return `<c:pieChart>${varied}${series}</c:pieChart>`;
    case "doughnut":
      return `<c:doughnutChart>${varied}${series}<c:holeSize val="50"/></c:doughnutChart>`;
  }
}

type TimeUnit = "days" | "months" | "years";

/** The steps of time between dates: whole years, whole months, or days. */
function unitOf(days: readonly number[]): TimeUnit {
  // Day 25,569 of a workbook is the first day of Unix time.
  const dates = days.map((day) => new Date((day - 25_569) * 86_400_000));
  const isFirst = dates.every((date) => date.getUTCDate() === 1);
  const years = new Set(dates.map((date) => date.getUTCFullYear()));
  if (isFirst && dates.every((date) => date.getUTCMonth() === 0) && years.size > 1) return "years";
  return isFirst && dates.length > 1 ? "months" : "days";
}

const unitFormats = { days: undefined, months: "mmm yyyy", years: "yyyy" } as const;

/** Bars of single days far apart would be thin lines. */
function isSparse(type: ChartType, days: readonly number[], unit: TimeUnit): boolean {
  const span = Math.max(...days) - Math.min(...days);
  return (type === "column" || type === "bar") && unit === "days" && span > 3 * days.length;
}

/** Dates have an axis of their own, which spaces them by time. */
function axesXml({ type, categories, series }: ChartDescription): string {
  const isTurned = type === "bar";
  const horizontal = (type === "scatter" ? series[0]?.x : undefined) ?? categories;
  const days = horizontal?.values.filter((value) => typeof value === "number") ?? [];
  const unit = unitOf(days);
  const dateFormat =
    horizontal?.dateFormat === undefined ? undefined : (unitFormats[unit] ?? horizontal.dateFormat);
  const line = (color: string) =>
    `<a:ln w="9525"><a:solidFill><a:srgbClr val="${color}"/></a:solidFill></a:ln>`;
  const axis = (name: string, id: number, other: number, place: string, isGrid: boolean) => {
    const grid = isGrid ? `<c:majorGridlines><c:spPr>${line(GRAY)}</c:spPr></c:majorGridlines>` : "";
    const code = isGrid || dateFormat === undefined ? "General" : escapeXml(dateFormat);
    const format = `<c:numFmt formatCode="${code}" sourceLinked="${code === "General" ? 1 : 0}"/>`;
    const ticks = '<c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="low"/>';
    const rest =
      name === "date"
        ? `<c:auto val="1"/><c:lblOffset val="100"/><c:baseTimeUnit val="${unit}"/>`
        : name === "cat"
          ? '<c:auto val="0"/>'
          : "";
    return `<c:${name}Ax><c:axId val="${id}"/><c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/><c:axPos val="${place}"/>${grid}${format}${ticks}<c:spPr>${isGrid ? "<a:ln><a:noFill/></a:ln>" : line("8A93A3")}</c:spPr><c:crossAx val="${other}"/><c:crosses val="autoZero"/>${rest}</c:${name}Ax>`;
  };
  const isTimed = dateFormat !== undefined && !isSparse(type, days, unit);
  const first = type === "scatter" ? "val" : isTimed ? "date" : "cat";
  return (
    axis(first, 111, 222, isTurned ? "l" : "b", false) + axis("val", 222, 111, isTurned ? "b" : "l", true)
  );
}

function seriesXml({ type, categories, look }: ChartDescription, series: ChartSeries, index: number): string {
  const colorAt = (at: number) => look.colors[at % look.colors.length] ?? "4472C4";
  const fill = (at: number) => `<a:solidFill><a:srgbClr val="${colorAt(at)}"/></a:solidFill>`;
  const isScatter = type === "scatter";
  const hasMarker = isScatter || type === "line";
  const shape = type === "line" ? `<a:ln w="28575">${fill(index)}</a:ln>` : fill(index);
  const properties = isScatter ? '<a:ln w="19050"><a:noFill/></a:ln>' : shape;
  const marker = hasMarker
    ? `<c:marker><c:symbol val="circle"/><c:size val="7"/><c:spPr>${fill(index)}<a:ln><a:noFill/></a:ln></c:spPr></c:marker>`
    : "";
  const horizontal = isScatter ? (series.x ?? categories) : categories;
  const [first, second] = isScatter ? ["c:xVal", "c:yVal"] : ["c:cat", "c:val"];
  const cells = horizontal === undefined ? "" : `<${first}>${dataXml(horizontal, isScatter)}</${first}>`;
  return (
    `<c:ser><c:idx val="${index}"/><c:order val="${index}"/>${nameXml(series.name)}` +
    `${isRound(type) ? "" : `<c:spPr>${properties}</c:spPr>`}${type === "column" || type === "bar" ? '<c:invertIfNegative val="0"/>' : ""}${marker}` +
    `${isRound(type) ? piecesXml(series.values.values.length, fill) : ""}${cells}` +
    `<${second}>${dataXml(series.values, true)}</${second}>${hasMarker ? '<c:smooth val="0"/>' : ""}</c:ser>`
  );
}

/** The colors of the pieces, and their shares. */
function piecesXml(count: number, fill: (index: number) => string): string {
  const pieces = Array.from(
    { length: count },
    (_, index) =>
      `<c:dPt><c:idx val="${index}"/><c:bubble3D val="0"/><c:spPr>${fill(index)}<a:ln w="12700"><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill></a:ln></c:spPr></c:dPt>`,
  );
  const color = '<a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill>';
  return `${pieces.join("")}<c:dLbls><c:numFmt formatCode="0%" sourceLinked="0"/><c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr><c:txPr><a:bodyPr/><a:p><a:pPr><a:defRPr b="1">${color}</a:defRPr></a:pPr><a:endParaRPr lang="en-US"/></a:p></c:txPr><c:showLegendKey val="0"/><c:showVal val="0"/><c:showCatName val="0"/><c:showSerName val="0"/><c:showPercent val="1"/><c:showBubbleSize val="0"/></c:dLbls>`;
}

function nameXml(name: ChartSeries["name"]): string {
  if (name === undefined) return "";
  if (typeof name === "string") return `<c:tx><c:v>${escapeXml(name)}</c:v></c:tx>`;
  return `<c:tx>${dataXml(name, false)}</c:tx>`;
}

function dataXml({ formula, values, dateFormat }: ChartData, isNumeric: boolean): string {
  const isNumber = isNumeric || dateFormat !== undefined;
  const kind = isNumber ? "num" : "str";
  const points = values.flatMap((value, index) =>
    value === null || (isNumber && typeof value !== "number")
      ? []
      : [`<c:pt idx="${index}"><c:v>${escapeXml(String(value))}</c:v></c:pt>`],
  );
  const format = isNumber ? `<c:formatCode>${escapeXml(dateFormat ?? "General")}</c:formatCode>` : "";
  return `<c:${kind}Ref><c:f>${escapeXml(formula)}</c:f><c:${kind}Cache>${format}<c:ptCount val="${values.length}"/>${points.join("")}</c:${kind}Cache></c:${kind}Ref>`;
}
