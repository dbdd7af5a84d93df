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
} from "../shared/office-xml.ts";
import { ScriptError } from "../shared/script-error.ts";
import type { XmlElement } from "../shared/xml.ts";
import { accentsOf, makeChart } from "./chart-part.ts";
import { lostCells } from "./chart-workbook.ts";
import type { Deck } from "./deck.ts";
import type { ChartSpec } from "./slide-spec.ts";

const kinds = ["barChart", "lineChart", "areaChart", "pieChart", "doughnutChart"];
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
export async function changeChart(deck: Deck, part: string, change: ChartChange): Promise<number> {
  const root = deck.pkg.edit(part);
  const plot = readPlot(root);
  if (!change.mayReplaceWorkbook) rejectLoss(deck, part, root);
  const made = await makeChart(change.chart, accentsOf(deck));
  const source = made.pkg.xml(made.part);
  const wanted = descendantsOf(source, "c:ser");
  fitSeries(plot, wanted.length);
  for (const [index, series] of childrenOf(plot, "c:ser").entries()) {
    const from = wanted[index];
    if (from !== undefined) fillSeries(series, from, change.chart.categories.length);
  }
  const paragraphs = change.chart.title === "" ? 0 : setTitle(root, source);
  replaceWorkbook(deck, part, root, made);
  return paragraphs;
}

/** The one plot of a chart whose series share their categories. */
function readPlot(root: XmlElement): XmlElement {
  const area = descend(childOf(root, "c:chart"), "c:plotArea");
  const plots =
    area === undefined ? [] : childrenOf(area).filter(({ localName }) => localName?.endsWith("Chart"));
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
      hint: "Column, bar, line, area, pie and doughnut charts with names as categories can be changed. Make a new slide with a chart.",
    },
  );
}

/** Names in one level; the others are dates, numbers and groups. */
function isOneLevel(categories: XmlElement): boolean {
  const { localName } = categories;
  if (localName === "multiLvlStrRef") return descendantsOf(categories, "c:lvl").length <= 1;
  return localName === "strRef" || localName === "strLit";
}

function rejectLoss(deck: Deck, part: string, root: XmlElement): void {
  const formulas = descendantsOf(root, "c:f").map((each) => each.textContent ?? "");
  for (const relation of deck.pkg
    .relations(part)
    .filter(({ kind }) => kind === "package" || kind === "oleObject")) {
    const problem = relation.isExternal
      ? `it is linked to ${clip(relation.target, 80)}`
      : cellsLost(deck, relation.target, formulas);
    if (problem === undefined) continue;
    throw new ScriptError("CONTENT_LOST", `The workbook of the chart would be replaced, and ${problem}.`, {
      hint: "Pass --replace-workbook if the user agrees.",
    });
  }
}

function cellsLost(deck: Deck, name: string, formulas: readonly string[]): string | undefined {
  if (!deck.pkg.has(name)) return undefined;
  const bytes = deck.pkg.bytes(name);
  const count = lostCells(new OfficePackage({ path: name, absolute: "", name, bytes }), formulas);
  return count === 0 ? undefined : `it has ${count} cells with other content or formulas`;
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

/** The elements of a series that come after its name, its categories and its values, as the schema orders them. */
const following = {
  "c:tx": [],
  "c:cat": ["c:val"],
  "c:val": ["c:smooth", "c:shape", "c:extLst"],
} as const;

function fillSeries(series: XmlElement, from: XmlElement, points: number): void {
  const format = descendantsOf(childOf(series, "c:val") ?? series, "c:formatCode")[0]?.textContent;
  for (const [tag, later] of Object.entries(following) as [
    keyof typeof following,
    readonly ("c:val" | "c:smooth" | "c:shape" | "c:extLst")[],
  ][]) {
    const wanted = childOf(from, tag);
    const old = childOf(series, tag);
    const previous = tag === "c:tx" ? childOf(series, "c:order") : old;
    const next = later.map((each) => childOf(series, each)).find((each) => each !== undefined);
    if (wanted !== undefined && previous !== undefined) insertAfter(wanted.cloneNode(true), previous);
    else if (wanted !== undefined) series.insertBefore(wanted.cloneNode(true), next);
    if (old !== undefined) removeNode(old);
  }
  const code = descendantsOf(childOf(series, "c:val") ?? series, "c:formatCode")[0];
  if (code !== undefined && format) code.textContent = format;
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
