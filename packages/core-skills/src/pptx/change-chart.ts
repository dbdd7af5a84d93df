import { clip } from "../shared/bounded.ts";
import { OfficePackage } from "../shared/office-package.ts";
import {
  attributeOf,
  childOf,
  childrenOf,
  createElement,
  descend,
  descendantsOf,
  insertAfter,
  removeNode,
  setAttributeOf,
  type Tag,
} from "../shared/office-xml.ts";
import { ScriptError } from "../shared/script-error.ts";
import type { XmlElement } from "../shared/xml.ts";
import { colorsFor, makeChart, newWorkbook } from "./chart-part.ts";
import { readTable } from "./chart-table.ts";
import { type ChangedWorkbook, lostCells, updateWorkbook } from "./chart-workbook.ts";
import type { Deck } from "./deck.ts";
import type { ChartSpec } from "./slide-spec.ts";

const kinds = ["barChart", "lineChart", "areaChart", "pieChart", "doughnutChart", "scatterChart"];
const kinds3d = kinds.map((kind) => kind.replace("Chart", "3DChart"));

/** The chart parts of a slide, in the order of its shapes. */
export function chartsOf(deck: Deck, slide: string): readonly string[] {
  return descendantsOf(deck.pkg.xml(slide), "c:chart").flatMap((reference) => {
    const relation = deck.pkg.relation(slide, attributeOf(reference, "r:id"));
    return relation === undefined || relation.isExternal || !deck.pkg.has(relation.target)
      ? []
      : [relation.target];
  });
}

export interface ChartChange {
  readonly chart: ChartSpec;
  /** Replace the workbook even if it has cells that the chart does not show. */
  readonly mayReplaceWorkbook: boolean;
}

/**
 * Gives a chart other names and numbers, in its XML and in the workbook behind it. Its kind, colors, axes and labels stay.
 * Returns the number of paragraphs whose text changed: the ones of the title.
 */
export function changeChart(deck: Deck, part: string, change: ChartChange): number {
  const root = deck.pkg.edit(part);
  const plot = readPlot(root);
  const chart = fitKind(plot, change.chart);
  const { bytes, table } = workbookFor(deck, part, plot, { ...change, chart });
  const made = makeChart(chart, table, bytes, colorsFor(deck, chart));
  const source = made.pkg.xml(made.part);
  const wanted = descendantsOf(source, "c:ser");
  fitSeries(plot, wanted.length);
  const points = Math.max(...chart.series.map(({ values }) => values.length));
  for (const [index, series] of childrenOf(plot, "c:ser").entries()) {
    const from = wanted[index];
    if (from !== undefined) fillSeries(series, from, points);
  }
  const paragraphs = chart.title === "" ? 0 : setTitle(root, source);
  replaceWorkbook(deck, part, root, made);
  return paragraphs;
}

/** The one plot of a chart whose series share their categories. */
function readPlot(root: XmlElement): XmlElement {
  const area = descend(childOf(root, "c:chart"), "c:plotArea");
  const plots =
    area === undefined ? [] : childrenOf(area).filter(({ localName }) => localName.endsWith("Chart"));
  const [plot] = plots;
  const name = plot?.localName ?? "";
  const categories = descendantsOf(root, "c:cat").flatMap((each) => childrenOf(each));
  const isPlain = categories.every(isOneLevel);
  if (plot !== undefined && plots.length === 1 && isPlain && [...kinds, ...kinds3d].includes(name))
    return plot;
  throw new ScriptError(
    "CHART_NOT_SUPPORTED",
    `The chart is ${plots.length > 1 ? "a combination of several kinds" : `of a kind whose data cannot be changed (${clip(name, 40) || "none"})`}.`,
    {
      hint: "Column, bar, line, area, pie, doughnut and scatter charts with one level of categories can be changed. Make a new slide with a chart.",
    },
  );
}

/** Names, numbers and dates in one level; the others are groups. */
function isOneLevel(categories: XmlElement): boolean {
  const { localName } = categories;
  if (localName === "multiLvlStrRef") return descendantsOf(categories, "c:lvl").length <= 1;
  return ["strRef", "strLit", "numRef", "numLit"].includes(localName);
}

/** The data must suit the kind that the chart has. */
function fitKind(plot: XmlElement, chart: ChartSpec): ChartSpec {
  const isScatter = plot.localName === "scatterChart";
  if (isScatter !== (chart.kind === "scatter"))
    throw new ScriptError(
      "INVALID_DESCRIPTION",
      isScatter ? "The chart is a scatter chart." : "The chart is not a scatter chart.",
      {
        hint: isScatter
          ? 'Give it {"type": "scatter", "series": [{"name": "…", "x": [1, 2], "values": [3, 4]}]}.'
          : 'Give it {"categories": ["…"], "series": [{"name": "…", "values": [1]}]}.',
      },
    );
  const isRound = /^(?:pie|doughnut)/.test(plot.localName);
  return isRound ? { ...chart, isDated: false } : chart;
}

/**
 * The workbook of the chart with the new data: the one that it has, with all its other cells, if the data fits in there;
 * a new one otherwise.
 */
function workbookFor(
  deck: Deck,
  part: string,
  plot: XmlElement,
  { chart, mayReplaceWorkbook }: ChartChange,
): ChangedWorkbook {
  const formulas = descendantsOf(plot, "c:f").map((each) => each.textContent);
  const problems: string[] = [];
  for (const { kind, target, isExternal } of deck.pkg.relations(part)) {
    if (kind !== "package" && kind !== "oleObject") continue;
    if (isExternal) problems.push(`it is linked to ${clip(target, 80)}`);
    else if (deck.pkg.has(target)) {
      const file = { path: target, absolute: "", name: target, bytes: deck.pkg.bytes(target) };
      const count = lostCells(new OfficePackage(file), formulas);
      if (count === 0) continue;
      const table = readTable(plot);
      const changed =
        table === undefined ? "its cells are arranged in another way" : updateWorkbook(file, table, chart);
      if (typeof changed !== "string") return changed;
      problems.push(`it has ${count} cells with other content or formulas, and ${changed}`);
    }
  }
  const [problem] = problems;
  if (problem !== undefined && !mayReplaceWorkbook)
    throw new ScriptError("CONTENT_LOST", `The workbook of the chart would be replaced: ${problem}.`, {
      hint: "Pass --replace-workbook if the user agrees.",
    });
  return newWorkbook(chart);
}

/** Copies the last series, or removes the last ones, until the number is right. */
function fitSeries(plot: XmlElement, count: number): void {
  const series = [...childrenOf(plot, "c:ser")];
  for (const extra of series.splice(count)) removeNode(extra);
  let number = Math.max(
    -1,
    ...series.map((each) => Number(childOf(each, "c:idx")?.getAttribute("val")) || 0),
  );
  while (series.length > 0 && series.length < count) {
    const last = series[series.length - 1] as XmlElement;
    const copy = last.cloneNode(true);
    // Without its own look, the copy takes the next color of the design.
    for (const tag of ["c:spPr", "c:dPt", "c:trendline", "c:extLst"] as const)
      for (const each of childrenOf(copy, tag)) removeNode(each);
    number += 1;
    for (const tag of ["c:idx", "c:order"] as const) childOf(copy, tag)?.setAttribute("val", String(number));
    insertAfter(copy, last);
    series.push(copy);
  }
  if (series.length === 0) throw new ScriptError("CHART_NOT_SUPPORTED", "The chart has no series.");
}

/** The data of a series in the order of the schema, each with the elements that may come after it. */
const data = {
  "c:tx": [],
  "c:cat": ["c:val", "c:smooth", "c:shape", "c:extLst"],
  "c:val": ["c:smooth", "c:shape", "c:extLst"],
  "c:xVal": ["c:yVal", "c:smooth", "c:extLst"],
  "c:yVal": ["c:smooth", "c:extLst"],
} as const satisfies Record<string, readonly Tag[]>;

function fillSeries(series: XmlElement, from: XmlElement, points: number): void {
  const formatIn = (holder: XmlElement | undefined) =>
    holder === undefined ? undefined : descendantsOf(holder, "c:formatCode")[0];
  const fill = (tag: keyof typeof data) => {
    const [old, wanted] = [childOf(series, tag), childOf(from, tag)?.cloneNode(true)];
    const previous = tag === "c:tx" ? childOf(series, "c:order") : old;
    const next = data[tag].map((each) => childOf(series, each)).find((each) => each !== undefined);
    if (wanted !== undefined && previous !== undefined) insertAfter(wanted, previous);
    else if (wanted !== undefined) series.insertBefore(wanted, next);
    // Numbers and dates keep their format.
    const [format, added] = [formatIn(old)?.textContent, formatIn(wanted)];
    const isDated = added?.textContent !== "General";
    if (added !== undefined && format && (tag !== "c:cat" || isDated)) added.textContent = format;
    if (old !== undefined) removeNode(old);
  };
  for (const tag of ["c:tx", "c:cat", "c:val", "c:xVal", "c:yVal"] as const) fill(tag);
  for (const point of childrenOf(series, "c:dPt"))
    if (Number(childOf(point, "c:idx")?.getAttribute("val")) >= points) removeNode(point);
}

function setTitle(root: XmlElement, source: XmlElement): number {
  const chart = childOf(root, "c:chart");
  const wanted = descend(childOf(source, "c:chart"), "c:title");
  if (chart === undefined || wanted === undefined) return 0;
  const title = childOf(chart, "c:title");
  const paragraphs = title === undefined ? 0 : descendantsOf(title, "a:p").length;
  const [first, ...rest] = title === undefined ? [] : descendantsOf(title, "a:t");
  if (first === undefined) {
    if (title !== undefined) removeNode(title);
    chart.insertAt(0, wanted.cloneNode(true));
  } else {
    first.textContent = descendantsOf(wanted, "a:t")
      .map((each) => each.textContent)
      .join("");
    for (const each of rest) each.textContent = "";
  }
  childOf(chart, "c:autoTitleDeleted")?.setAttribute("val", "0");
  return paragraphs;
}

function replaceWorkbook(
  deck: Deck,
  part: string,
  root: XmlElement,
  made: { readonly pkg: OfficePackage; readonly part: string },
): void {
  const workbook = made.pkg.related(made.part, "package")[0];
  if (workbook === undefined) throw new Error("The chart was made without a workbook.");
  const bytes = made.pkg.bytes(workbook.target);
  const type = made.pkg.contentType(workbook.target) ?? "";
  const known = deck.pkg.related(part, "package").find(({ target }) => deck.pkg.has(target));
  if (known !== undefined) {
    deck.pkg.set(known.target, bytes, deck.pkg.contentType(known.target) ?? type);
    return;
  }
  const name = deck.pkg.freeName("ppt/embeddings/Microsoft_Excel_Worksheet", "xlsx");
  deck.pkg.set(name, bytes, type);
  const id = deck.pkg.relate(part, workbook.type, name);
  const link = childOf(root, "c:externalData");
  const old = attributeOf(link, "r:id");
  if (old !== undefined && deck.pkg.relation(part, old) !== undefined) deck.pkg.unrelate(part, old);
  const element = link ?? createElement(root, "c:externalData");
  setAttributeOf(element, "r:id", id);
  if (link === undefined)
    root.insertBefore(element, childOf(root, "c:userShapes") ?? childOf(root, "c:extLst"));
}
