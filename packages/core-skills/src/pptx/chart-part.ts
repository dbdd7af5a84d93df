import { type ChartData, type ChartDescription, chartXml, externalDataXml } from "../shared/chart-xml.ts";
import { copyPart } from "../shared/copy-part.ts";
import { OfficePackage } from "../shared/office-package.ts";
import { childrenOf, descendantsOf } from "../shared/office-xml.ts";
import { XML_HEAD } from "../shared/xml.ts";
import { columnLetters } from "../xlsx/cell-address.ts";
import { quoteSheet } from "../xlsx/formula.ts";
import { DATE_FORMAT } from "../xlsx/number-format.ts";
import { isoToSerial } from "../xlsx/serial-date.ts";
import { Workbook } from "../xlsx/workbook.ts";
import { type ChartTable, newTable, writeTable } from "./chart-table.ts";
import type { ChangedWorkbook } from "./chart-workbook.ts";
import type { Deck } from "./deck.ts";
import type { ChartSpec } from "./slide-spec.ts";

const moreColors = ["7A8699", "B58B2A"];
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const CHART = "ppt/charts/chart1.xml";
const WORKBOOK = "ppt/embeddings/Microsoft_Excel_Worksheet1.xlsx";
const TYPES =
  '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>';
const CHART_TYPE = "application/vnd.openxmlformats-officedocument.drawingml.chart+xml";
const WORKBOOK_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const POINTS = 12;

/** Adds a chart with the workbook that its numbers are edited in. */
export function addChartPart(deck: Deck, chart: ChartSpec): string {
  const { bytes, table } = newWorkbook(chart);
  const { pkg, part } = makeChart(chart, table, bytes, colorsFor(deck, chart));
  return copyPart(part, pkg, deck.pkg);
}

/** A workbook with no more than the data of a chart. */
export function newWorkbook(chart: ChartSpec): ChangedWorkbook {
  const table = newTable(chart);
  const workbook = Workbook.blank();
  workbook.addSheet(table.sheet);
  writeTable(workbook.sheet(table.sheet), table, chart);
  return { bytes: workbook.toBytes(), table };
}

/** Makes a chart over a table of a workbook, in a package of its own. */
export function makeChart(
  chart: ChartSpec,
  table: ChartTable,
  workbook: Uint8Array,
  colors: readonly string[],
): { readonly pkg: OfficePackage; readonly part: string } {
  const file = { path: "the chart", absolute: "", name: "chart.pptx", bytes: new Uint8Array() };
  const pkg = new OfficePackage(file, new Map([["[Content_Types].xml", Buffer.from(XML_HEAD + TYPES)]]));
  pkg.set(WORKBOOK, workbook, WORKBOOK_TYPE);
  const relation = pkg.relate(CHART, `${RELATIONS}/package`, WORKBOOK);
  const xml = chartXml(describe(chart, table, colors), externalDataXml(relation));
  pkg.set(CHART, XML_HEAD + xml, CHART_TYPE);
  return { pkg, part: CHART };
}

function describe(chart: ChartSpec, table: ChartTable, colors: readonly string[]): ChartDescription {
  const count = Math.max(chart.categories.length, ...chart.series.map(({ values }) => values.length));
  const range = (column: number, length: number) => {
    const letters = columnLetters(column);
    const [first, last] = [table.top, table.top + Math.max(length, 1) - 1];
    return `${quoteSheet(table.sheet)}!$${letters}$${first}${first === last ? "" : `:$${letters}$${last}`}`;
  };
  const dates = chart.isDated ? chart.categories.map((date) => isoToSerial(date, false) ?? null) : undefined;
  const categories: ChartData = {
    formula: range(table.categories, count),
    values: dates ?? chart.categories,
    dateFormat: chart.isDated ? DATE_FORMAT : undefined,
  };
  return {
    type: chart.kind,
    title: chart.title === "" ? undefined : chart.title,
    categories: chart.kind === "scatter" ? undefined : categories,
    series: chart.series.map(({ name, values, x }, index) => {
      const column = table.series[index];
      const at = column?.values ?? index + 2;
      const head = `${quoteSheet(table.sheet)}!$${columnLetters(at)}$${table.top - 1}`;
      return {
        name: { formula: head, values: [name] },
        values: { formula: range(at, values.length), values },
        x: x === undefined ? undefined : { formula: range(column?.x ?? 1, x.length), values: x },
      };
    }),
    look: { colors, points: POINTS },
  };
}

export function colorsFor(deck: Deck, chart: ChartSpec): readonly string[] {
  return chart.colors ?? [...accentsOf(deck), ...moreColors];
}

/** The accent colors of the deck's first design. */
function accentsOf(deck: Deck): readonly string[] {
  const [master] = deck.masters;
  const theme = master === undefined ? undefined : deck.related(master, "theme");
  const [scheme] = theme === undefined ? [] : descendantsOf(deck.pkg.xml(theme), "a:clrScheme");
  if (scheme === undefined) return [];
  return childrenOf(scheme)
    .filter(({ localName }) => localName.startsWith("accent"))
    .flatMap((accent) => {
      const [color] = childrenOf(accent);
      return color?.getAttribute("lastClr") || color?.getAttribute("val") || [];
    })
    .filter((color) => /^[0-9a-f]{6}$/i.test(color));
}
