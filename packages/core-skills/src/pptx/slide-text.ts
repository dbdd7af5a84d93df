import { childOf, childrenOf, hasTag } from "../shared/office-xml.ts";
import type { XmlElement } from "../shared/xml.ts";

export interface Line {
  /** From 0. */
  readonly level: number;
  readonly text: string;
}

export function paragraphText(paragraph: XmlElement): string {
  return childrenOf(paragraph)
    .map((child) => {
      if (hasTag(child, "a:br")) return "\n";
      return hasTag(child, "a:r") || hasTag(child, "a:fld") ? (childOf(child, "a:t")?.textContent ?? "") : "";
    })
    .join("");
}
