import { attributeOf, childOf, childrenOf, descend } from "../shared/office-xml.ts";
import type { XmlElement } from "../shared/xml.ts";
import type { Styles } from "./styles.ts";

/** A paragraph's place in a list. */
export interface ListPlace {
  /** The list; items of one list count on. */
  readonly list: string;
  readonly level: number;
  readonly ordered: boolean;
  readonly start: number;
}

/** The lists of a document. */
export class Numbering {
  readonly #levels = new Map<string, ReadonlyMap<string, XmlElement>>();

  constructor(root: XmlElement | undefined) {
    if (root === undefined) return;
    const kinds = new Map(
      childrenOf(root, "w:abstractNum").map((kind) => [
        attributeOf(kind, "w:abstractNumId"),
        new Map(childrenOf(kind, "w:lvl").map((level) => [attributeOf(level, "w:ilvl") ?? "0", level])),
      ]),
    );
    for (const list of childrenOf(root, "w:num")) {
      const kind = kinds.get(attributeOf(childOf(list, "w:abstractNumId"), "w:val"));
      this.#levels.set(attributeOf(list, "w:numId") ?? "", kind ?? new Map());
    }
  }

  place(paragraph: XmlElement, styles: Styles): ListPlace | undefined {
    const own = descend(paragraph, "w:pPr", "w:numPr");
    const inherited = styles
      .chain(styles.of(paragraph))
      .map(({ element }) => descend(element, "w:pPr", "w:numPr"))
      .find((each) => each !== undefined);
    const list = numberOf(own, "w:numId") ?? numberOf(inherited, "w:numId");
    const levels = list === undefined ? undefined : this.#levels.get(list);
    if (list === undefined || levels === undefined) return undefined;
    const level = numberOf(own, "w:ilvl") ?? numberOf(inherited, "w:ilvl") ?? "0";
    const definition = levels.get(level);
    const format = attributeOf(childOf(definition, "w:numFmt"), "w:val") ?? "decimal";
    return {
      list,
      level: Math.min(Math.max(Math.trunc(Number(level)) || 0, 0), 8),
      ordered: format !== "bullet" && format !== "none",
      start: Number(attributeOf(childOf(definition, "w:start"), "w:val") ?? 1) || 1,
    };
  }
}

function numberOf(properties: XmlElement | undefined, tag: "w:numId" | "w:ilvl"): string | undefined {
  return attributeOf(childOf(properties, tag), "w:val");
}
