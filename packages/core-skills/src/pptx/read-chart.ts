import { attributeOf, childOf, childrenOf, descendantsOf } from "../shared/office-xml.ts";
import type { XmlElement } from "../shared/xml.ts";
import { isDateFormat } from "../xlsx/number-format.ts";
import { serialToIso } from "../xlsx/serial-date.ts";
import type { Deck } from "./deck.ts";

/** A point of a chart; null where the series has no value. */
export type Point = string | number | null;

/** The data of a chart, as the slide shows it. */
export type ChartContent = {
  readonly type: string;
  readonly title: string;
  readonly categories: readonly Point[];
  readonly series: readonly SeriesContent[];
};

export type SeriesContent = {
  readonly name: string;
  readonly values: readonly Point[];
  /** The horizontal values of a scatter or bubble chart. */
  readonly x?: readonly Point[];
  /** The sizes of a bubble chart. */
  readonly sizes?: readonly Point[];
};

const MAX_POINTS = 100;

export function readChart(deck: Deck, part: string, frame: XmlElement): readonly ChartContent[] {
  return descendantsOf(frame, "c:chart").flatMap((reference) => {
    const relation = deck.pkg.relation(part, attributeOf(reference, "r:id"));
    if (relation === undefined || relation.isExternal || !deck.pkg.has(relation.target)) return [];
    const root = deck.pkg.xml(relation.target);
    const plot = descendantsOf(root, "c:plotArea")[0];
    const kinds =
      plot === undefined ? [] : childrenOf(plot).filter(({ localName }) => localName?.endsWith("Chart"));
    const series = kinds.flatMap((kind) => childrenOf(kind, "c:ser")).slice(0, MAX_POINTS);
    return [
      {
        type: [...new Set(kinds.map(typeOf))].join("+"),
        title: titleOf(descendantsOf(root, "c:chart")[0]),
        categories: pointsOf(childOf(series[0], "c:cat")),
        series: series.map(readSeries),
      },
    ];
  });
}

function readSeries(series: XmlElement): SeriesContent {
  const [x, sizes] = [childOf(series, "c:xVal"), childOf(series, "c:bubbleSize")];
  return {
    name: String(pointsOf(childOf(series, "c:tx"))[0] ?? ""),
    values: pointsOf(childOf(series, "c:val") ?? childOf(series, "c:yVal")),
    ...(x === undefined ? {} : { x: pointsOf(x) }),
    ...(sizes === undefined ? {} : { sizes: pointsOf(sizes) }),
  };
}

/** Columns and bars are one kind in the file, and differ by their direction. */
function typeOf(kind: XmlElement): string {
  const name = kind.localName?.replace(/Chart$/, "") ?? "";
  const isColumn = childOf(kind, "c:barDir")?.getAttribute("val") !== "bar";
  return name.startsWith("bar") && isColumn ? name.replace("bar", "column") : name;
}

function titleOf(chart: XmlElement | undefined): string {
  const title = childOf(chart, "c:title");
  if (title === undefined) return "";
  return descendantsOf(title, "a:t")
    .map((text) => text.textContent)
    .join("");
}

/** The cached points by their index: files leave empty ones out. */
function pointsOf(holder: XmlElement | undefined): readonly Point[] {
  if (holder === undefined) return [];
  const isNumeric = descendantsOf(holder, "c:numCache").length + descendantsOf(holder, "c:numLit").length > 0;
  const isDated = isDateFormat(descendantsOf(holder, "c:formatCode")[0]?.textContent ?? "");
  const points: Point[] = [];
  for (const [position, point] of descendantsOf(holder, "c:pt").entries()) {
    const index = Number(point.getAttribute("idx") || position);
    if (!(index < MAX_POINTS)) continue;
    while (points.length < index) points.push(null);
    const text = childOf(point, "c:v")?.textContent ?? "";
    const number = Number(text);
    const isNumber = isNumeric && text.trim() !== "" && Number.isFinite(number);
    points[index] = isNumber ? ((isDated ? serialToIso(number, false) : undefined) ?? number) : text;
  }
  return points;
}
