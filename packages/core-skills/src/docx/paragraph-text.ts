import {
  ancestorOf,
  childrenOf,
  createElement,
  descendantsOf,
  hasTag,
  insertAfter,
} from "../shared/office-xml.ts";
import type { Segment } from "../shared/text-replace.ts";
import { cleanText, type XmlElement } from "../shared/xml.ts";
import type { WordFile } from "./word-file.ts";

/** Calls for each paragraph that is seen on a page: body, cells, text boxes, headers, footers, notes. */
export function editParagraphs(file: WordFile, edit: (paragraph: XmlElement, isCopy: boolean) => void): void {
  for (const part of file.stories) {
    for (const paragraph of descendantsOf(file.pkg.edit(part), "w:p")) {
      // For old programs a text box is in the file twice.
      edit(paragraph, ancestorOf(paragraph, "mc:Fallback") !== undefined);
    }
  }
}

/** The text of a paragraph by the elements that hold it. Deleted text and text boxes are not part of it. */
export function segmentsOf(paragraph: XmlElement): readonly Segment[] {
  return childrenOf(paragraph).flatMap((child): readonly Segment[] => {
    if (hasTag(child, "w:r")) return childrenOf(child).flatMap(readSegment);
    const wrappers = [
      "w:hyperlink",
      "w:ins",
      "w:moveTo",
      "w:sdt",
      "w:sdtContent",
      "w:smartTag",
      "w:fldSimple",
      "w:customXml",
      "w:dir",
      "w:bdo",
    ] as const;
    return wrappers.some((tag) => hasTag(child, tag)) ? segmentsOf(child) : [];
  });
}

function readSegment(element: XmlElement): readonly Segment[] {
  if (hasTag(element, "w:t")) return [{ text: element.textContent, set: (text) => setText(element, text) }];
  if (hasTag(element, "w:tab")) return [{ text: "\t" }];
  if (hasTag(element, "w:br") || hasTag(element, "w:cr")) return [{ text: "\n" }];
  if (hasTag(element, "w:noBreakHyphen")) return [{ text: "\u2011" }];
  // A field, a note or a picture parts the text in two.
  const isInvisible = hasTag(element, "w:rPr") || hasTag(element, "w:lastRenderedPageBreak");
  return isInvisible ? [] : [{ text: "\uFFFC" }];
}

/** Lines go into elements of their own, with breaks between them. */
function setText(element: XmlElement, text: string): void {
  const [first = "", ...rest] = cleanText(text).split("\n");
  fill(element, first);
  let last = element;
  for (const line of rest) {
    const next = createElement(element, "w:t");
    fill(next, line);
    const lineBreak = createElement(element, "w:br");
    insertAfter(lineBreak, last);
    insertAfter(next, lineBreak);
    last = next;
  }
}

function fill(element: XmlElement, text: string): void {
  element.textContent = text;
  element.setAttribute("xml:space", "preserve");
}
