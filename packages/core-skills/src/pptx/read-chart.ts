import { attributeOf, childOf, childrenOf, descendantsOf } from "../shared/office-xml.ts";
import { type XmlElement } from "../shared/xml.ts";
import { type Deck } from "./deck.ts";

/** The numbers of a chart, as the slide shows them. */
export type ChartContent = {
  readonly type: string;
  readonly title: string;
  readonly categories: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly string[] }[];
};

const MAX_POINTS = 100;

export function readChart(deck: Deck, part: string, frame: XmlElement): readonly ChartContent[] {
  return descendantsOf(frame, "c:chart").flatMap((reference) => {
    const relation = deck.pkg.relation(part, attributeOf(reference, "r:id"));
    if (relation === undefined || relation.isExternal || !deck.pkg.has(relation.target)) return [];
    const root = deck.pkg.xml(relation.target).documentElement;
    const chart = descendantsOf(root, "c:chart")[0];
    const plot = descendantsOf(root, "c:plotArea")[0];
    const kind =
      plot === undefined ? undefined : childrenOf(plot).find(({ localName }) => localName?.endsWith("Chart"));
    const series = kind === undefined ? [] : childrenOf(kind, "c:ser").slice(0, MAX_POINTS);
    const title = childOf(chart, "c:title");
    return [
      {
        type: kind?.localName?.replace(/Chart$/, "") ?? "",
        title:
          title === undefined
            ? ""
            : descendantsOf(title, "a:t")
                .map((text) => text.textContent)
                .join(""),
        categories: pointsOf(childOf(series[0], "c:cat")),
        series: series.map((each) => ({
          name: pointsOf(childOf(each, "c:tx"))[0] ?? "",
          values: pointsOf(childOf(each, "c:val")),
        })),
      },
    ];
  });
}

function pointsOf(holder: XmlElement | undefined): readonly string[] {
  if (holder === undefined) return [];
  return descendantsOf(holder, "c:pt")
    .slice(0, MAX_POINTS)
    .map((point) => childOf(point, "c:v")?.textContent ?? "");
}
