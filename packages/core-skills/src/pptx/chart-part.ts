import { copyPart } from "../shared/copy-part.ts";
import { OfficePackage } from "../shared/office-package.ts";
import { writeProperties } from "../shared/office-properties.ts";
import { childrenOf, descendantsOf } from "../shared/office-xml.ts";
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
const moreColors = ["7A8699", "B58B2A"];

interface ChartLibrary {
  addSlide(): { addChart(kind: string, data: readonly object[], options: object): unknown };
  write(options: { readonly outputType: "uint8array" }): Promise<unknown>;
}

/** Adds a chart with the workbook that its numbers are edited in. */
export async function addChartPart(deck: Deck, chart: ChartSpec): Promise<string> {
  const { pkg, part } = await makeChart(chart, chart.colors ?? [...accentsOf(deck), ...moreColors]);
  return copyPart(part, pkg, deck.pkg);
}

/** Makes a chart in a package of its own: the library puts it on a slide, of which only the chart is taken. */
export async function makeChart(
  chart: ChartSpec,
  colors: readonly string[],
): Promise<{ readonly pkg: OfficePackage; readonly part: string }> {
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
    chartColors: [...colors],
  });
  // Asked for an array of bytes, the library answers with one.
  const bytes = (await scratch.write({ outputType: "uint8array" })) as Uint8Array;
  const from = new Deck(new OfficePackage({ path: "the chart", absolute: "", name: "chart.pptx", bytes }));
  const [slide] = from.slides;
  const part = slide === undefined ? undefined : from.related(slide.part, "chart");
  if (part === undefined) throw new Error("The library has made no chart.");
  for (const { target } of from.pkg.related(part, "package")) undate(from.pkg, target);
  return { pkg: from.pkg, part };
}

/** The accent colors of the deck's first design. */
export function accentsOf(deck: Deck): readonly string[] {
  const [master] = deck.masters;
  const theme = master === undefined ? undefined : deck.related(master, "theme");
  const [scheme] = theme === undefined ? [] : descendantsOf(deck.pkg.xml(theme), "a:clrScheme");
  if (scheme === undefined) return [];
  return childrenOf(scheme)
    .filter(({ localName }) => localName?.startsWith("accent"))
    .flatMap((accent) => {
      const [color] = childrenOf(accent);
      return color?.getAttribute("lastClr") || color?.getAttribute("val") || [];
    })
    .filter((color) => /^[0-9a-f]{6}$/i.test(color));
}

/** The workbook has the time in it: without, the same chart is the same bytes. */
function undate(pkg: OfficePackage, name: string): void {
  const workbook = new OfficePackage({ path: name, absolute: "", name, bytes: pkg.bytes(name) });
  writeProperties(workbook, { created: "", modified: "" });
  pkg.set(name, workbook.save(), pkg.contentType(name) ?? "");
}
