import { escapeXml } from "../shared/xml.ts";

export type ChartType = "column" | "bar" | "line" | "area" | "pie" | "doughnut" | "scatter";
export const CHART_TYPES: readonly ChartType[] = [
  "column",
  "bar",
  "line",
  "area",
  "pie",
  "doughnut",
  "scatter",
];

/** Cells that a chart reads: the formula, and the values that they have now. */
export interface ChartData {
  readonly formula: string;
  readonly values: readonly (string | number | null)[];
}

export interface ChartSeries {
  readonly name: string | ChartData | undefined;
  readonly values: ChartData;
}

export interface ChartSpec {
  readonly type: ChartType;
  readonly title: string | undefined;
  readonly categories: ChartData | undefined;
  readonly series: readonly ChartSeries[];
}

const DRAWING = "http://schemas.openxmlformats.org/drawingml/2006";
const COLORS = ["4472C4", "ED7D31", "A5A5A5", "FFC000", "5B9BD5", "70AD47"];

/** The XML of a chart part. Values are stored with it, so that programs show the chart before they calculate. */
export function chartXml({ type, title, categories, series }: ChartSpec): string {
  const heading =
    title === undefined
      ? '<c:autoTitleDeleted val="1"/>'
      : `<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>${escapeXml(title)}</a:t></a:r></a:p></c:rich></c:tx><c:overlay val="0"/></c:title><c:autoTitleDeleted val="0"/>`;
  const list = series.map((each, index) => seriesXml(type, each, index, categories)).join("");
  return (
    `<c:chartSpace xmlns:c="${DRAWING}/chart" xmlns:a="${DRAWING}/main"><c:chart>${heading}<c:plotArea><c:layout/>` +
    `${plotXml(type, list)}</c:plotArea><c:legend><c:legendPos val="b"/><c:overlay val="0"/></c:legend>` +
    '<c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart></c:chartSpace>'
  );
}

function plotXml(type: ChartType, series: string): string {
  const axes = '<c:axId val="111"/><c:axId val="222"/>';
  switch (type) {
    case "column":
    case "bar":
      return `<c:barChart><c:barDir val="${type === "bar" ? "bar" : "col"}"/><c:grouping val="clustered"/><c:varyColors val="0"/>${series}<c:gapWidth val="80"/>${axes}</c:barChart>${axesXml("cat", type === "bar")}`;
    case "line":
      return `<c:lineChart><c:grouping val="standard"/><c:varyColors val="0"/>${series}<c:marker val="1"/>${axes}</c:lineChart>${axesXml("cat", false)}`;
    case "area":
      return `<c:areaChart><c:grouping val="standard"/><c:varyColors val="0"/>${series}${axes}</c:areaChart>${axesXml("cat", false)}`;
    case "scatter":
      return `<c:scatterChart><c:scatterStyle val="lineMarker"/><c:varyColors val="0"/>${series}${axes}</c:scatterChart>${axesXml("val", false)}`;
    case "pie":
      return `<c:pieChart><c:varyColors val="1"/>${series}</c:pieChart>`;
    case "doughnut":
      return `<c:doughnutChart><c:varyColors val="1"/>${series}<c:holeSize val="50"/></c:doughnutChart>`;
  }
}

function axesXml(kind: "cat" | "val", isTurned: boolean): string {
  const axis = (name: string, id: number, other: number, place: string, isGrid: boolean) =>
    `<c:${name}Ax><c:axId val="${id}"/><c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/><c:axPos val="${place}"/>${isGrid ? "<c:majorGridlines/>" : ""}<c:crossAx val="${other}"/><c:crosses val="autoZero"/></c:${name}Ax>`;
  return (
    axis(kind, 111, 222, isTurned ? "l" : "b", false) + axis("val", 222, 111, isTurned ? "b" : "l", true)
  );
}

function seriesXml(
  type: ChartType,
  { name, values }: ChartSeries,
  index: number,
  categories: ChartData | undefined,
): string {
  const color = COLORS[index % COLORS.length] ?? "4472C4";
  const fill = `<a:solidFill><a:srgbClr val="${color}"/></a:solidFill>`;
  const isRound = type === "pie" || type === "doughnut";
  const look = isRound
    ? ""
    : `<c:spPr>${type === "line" ? `<a:ln w="28575">${fill}</a:ln>` : type === "scatter" ? "<a:ln><a:noFill/></a:ln>" : fill}</c:spPr>`;
  const [first, second] = type === "scatter" ? ["c:xVal", "c:yVal"] : ["c:cat", "c:val"];
  const marker =
    type === "scatter" || type === "line"
      ? '<c:marker><c:symbol val="circle"/><c:size val="6"/></c:marker>'
      : "";
  return (
    `<c:ser><c:idx val="${index}"/><c:order val="${index}"/>${nameXml(name)}${look}${marker}` +
    `${categories === undefined ? "" : `<${first}>${dataXml(categories, type === "scatter")}</${first}>`}` +
    `<${second}>${dataXml(values, true)}</${second}>${type === "line" || type === "scatter" ? '<c:smooth val="0"/>' : ""}</c:ser>`
  );
}

function nameXml(name: ChartSeries["name"]): string {
  if (name === undefined) return "";
  if (typeof name === "string") return `<c:tx><c:v>${escapeXml(name)}</c:v></c:tx>`;
  return `<c:tx>${dataXml(name, false)}</c:tx>`;
}

function dataXml({ formula, values }: ChartData, isNumeric: boolean): string {
  const kind = isNumeric ? "num" : "str";
  const points = values.flatMap((value, index) =>
    value === null || (isNumeric && typeof value !== "number")
      ? []
      : [`<c:pt idx="${index}"><c:v>${escapeXml(String(value))}</c:v></c:pt>`],
  );
  return `<c:${kind}Ref><c:f>${escapeXml(formula)}</c:f><c:${kind}Cache><c:ptCount val="${values.length}"/>${points.join("")}</c:${kind}Cache></c:${kind}Ref>`;
}
