import {
  childOf,
  childrenOf,
  createElement,
  descendantsOf,
  hasTag,
  insertAfter,
} from "../shared/office-xml.ts";
import type { Segment } from "../shared/text-replace.ts";
import { cleanText, type XmlElement } from "../shared/xml.ts";
import type { Deck, Slide } from "./deck.ts";

/** Calls for each paragraph of the slides and of their notes: shapes, groups, tables, diagrams. */
export function editParagraphs(
  deck: Deck,
  slides: readonly Slide[],
  edit: (paragraph: XmlElement) => void,
): void {
  for (const { part } of slides) {
    const notes = deck.related(part, "notesSlide");
    const diagrams = deck.pkg.related(part, "diagramData").map(({ target }) => target);
    const drawings = deck.pkg.related(part, "diagramDrawing").map(({ target }) => target);
    const parts = [part, ...(notes === undefined ? [] : [notes]), ...diagrams, ...drawings];
    for (const name of parts.filter((each) => deck.pkg.has(each))) {
      for (const paragraph of descendantsOf(deck.pkg.edit(name), "a:p")) edit(paragraph);
    }
  }
}

export function segmentsOf(paragraph: XmlElement): readonly Segment[] {
  return childrenOf(paragraph).flatMap((child): readonly Segment[] => {
    if (hasTag(child, "a:br")) return [{ text: "\n" }];
    const text = childOf(child, "a:t");
    // The text of a field (the number of a slide, a date) is made anew by the program.
    if (hasTag(child, "a:fld")) return [{ text: "\uFFFC" }];
    if (!hasTag(child, "a:r") || text === undefined) return [];
    return [{ text: text.textContent, set: (value) => setText(child, text, value) }];
  });
}

/** Each further line is a run of its own in the same style, after a break. */
function setText(run: XmlElement, text: XmlElement, value: string): void {
  const [first = "", ...rest] = cleanText(value).split("\n");
  text.textContent = first;
  let last = run;
  for (const line of rest) {
    const lineBreak = createElement(run, "a:br");
    const next = run.cloneNode(true);
    const nextText = childOf(next, "a:t");
    if (nextText !== undefined) nextText.textContent = line;
    insertAfter(lineBreak, last);
    insertAfter(next, lineBreak);
    last = next;
  }
}
