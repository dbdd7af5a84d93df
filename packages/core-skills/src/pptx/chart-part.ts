import { copyPart } from "../shared/copy-part.ts";
import { OfficePackage } from "../shared/office-package.ts";
import { writeProperties } from "../shared/office-properties.ts";
import { Deck } from "./deck.ts";
import type { ChartSpec } from "./slide-spec.ts";

const kinds = {
  column: "bar",
  bar: "bar",
  line: "line",
  area: "area",
  pie: "pie",
  doughnut: "doughnut",
} as const;
const colors = ["2F5D9B", "D9822B", "3C8D5A", "8A4F9E", "C0453A", "4A9CA8", "7A8699", "B58B2A"];

interface ChartLibrary {
  addSlide(): { addChart(kind: string, data: readonly object[], options: object): unknown };
  write(options: { readonly outputType: "uint8array" }): Promise<unknown>;
}

/**
 * Adds a chart with the workbook that its numbers are edited in. The library makes it on a slide of its own, of which
 * only the chart is taken.
 */
export async function addChartPart(deck: Deck, chart: ChartSpec): Promise<string> {
  const { default: Library } = await import("pptxgenjs");
  // The package's types do not declare its default export as the class; the interface covers the used members.
  const scratch = new (Library as unknown as new () => ChartLibrary)();
  const data = chart.series.map(({ name, values }) => ({
    name,
    labels: [...chart.categories],
    values: [...values],
  }));
  scratch.addSlide().addChart(kinds[chart.kind], data, {
    ...(chart.kind === "bar" ? { barDir: "bar" } : { barDir: "col" }),
    ...(chart.title === "" ? {} : { showTitle: true, title: chart.title, titleFontSize: 16 }),
    ...(chart.kind === "pie" || chart.kind === "doughnut" ? { showPercent: true, showLegend: true } : {}),
    ...(chart.series.length > 1 ? { showLegend: true } : {}),
    legendPos: "b",
    chartColors: colors,
  });
  // Asked for an array of bytes, the library answers with one.
  const bytes = (await scratch.write({ outputType: "uint8array" })) as Uint8Array;
  const from = new Deck(new OfficePackage({ path: "the chart", absolute: "", name: "chart.pptx", bytes }));
  const [slide] = from.slides;
  const part = slide === undefined ? undefined : from.related(slide.part, "chart");
  if (part === undefined) throw new Error("The library has made no chart.");
  for (const { target } of from.pkg.related(part, "package")) undate(from.pkg, target);
  return copyPart(part, from.pkg, deck.pkg);
}

/** The workbook has the time in it: without, the same chart is the same bytes. */
function undate(pkg: OfficePackage, name: string): void {
  const workbook = new OfficePackage({ path: name, absolute: "", name, bytes: pkg.bytes(name) });
  writeProperties(workbook, { created: "", modified: "" });
  pkg.set(name, workbook.save(), pkg.contentType(name) ?? "");
}
