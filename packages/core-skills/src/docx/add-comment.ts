import {
  attributeOf,
  childrenOf,
  createElement,
  createFragment,
  descendantsOf,
  insertAfter,
  setAttributeOf,
  typeOfKind,
} from "../shared/office-xml.ts";
import { escapeXml, XML_HEAD, type XmlElement } from "../shared/xml.ts";
import { directText, isolateRuns } from "./run-split.ts";
import type { Reviewer } from "./track-change.ts";
import type { WordFile } from "./word-file.ts";

const TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml";

export interface NewComment {
  readonly find: string;
  /** Which occurrence in the body, counted from 1. */
  readonly nth: number;
  readonly text: string;
}

/** Adds a comment about a piece of text. Returns its id; undefined when the text is not there. */
export function addComment(file: WordFile, comment: NewComment, reviewer: Reviewer): string | undefined {
  const runs = findRuns(file, comment);
  const [first] = runs ?? [];
  const last = runs?.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const list = file.pkg.edit(file.part("comments") ?? addPart(file));
  const ids = childrenOf(list, "w:comment").map((each) => Number(attributeOf(each, "w:id")) || 0);
  const id = String(ids.reduce((most, each) => Math.max(most, each), -1) + 1);
  list.appendChild(makeComment(list, id, comment.text, reviewer));
  const [start, end] = [mark(first, "w:commentRangeStart", id), mark(last, "w:commentRangeEnd", id)];
  first.parentNode?.insertBefore(start, first);
  insertAfter(end, last);
  const [reference] = createFragment(last, `<w:r><w:commentReference w:id="${id}"/></w:r>`);
  if (reference !== undefined) insertAfter(reference, end);
  return id;
}

function findRuns(file: WordFile, { find, nth }: NewComment): readonly XmlElement[] | undefined {
  let seen = 0;
  for (const paragraph of descendantsOf(file.editBody(), "w:p")) {
    const text = directText(paragraph);
    for (let at = text.indexOf(find); at !== -1; at = text.indexOf(find, at + find.length)) {
      seen += 1;
      if (seen === nth) return isolateRuns(paragraph, at, at + find.length);
    }
  }
  return undefined;
}

function makeComment(list: XmlElement, id: string, text: string, { author, date }: Reviewer): XmlElement {
  const element = createElement(list, "w:comment");
  setAttributeOf(element, "w:id", id);
  setAttributeOf(element, "w:author", author);
  setAttributeOf(element, "w:initials", author.slice(0, 1).toUpperCase());
  if (date !== undefined) setAttributeOf(element, "w:date", date);
  const lines = text
    .split("\n")
    .map((line) => `<w:p><w:r><w:t xml:space="preserve">${escapeXml(line)}</w:t></w:r></w:p>`);
  for (const paragraph of createFragment(list, lines.join(""))) element.appendChild(paragraph);
  return element;
}

function mark(near: XmlElement, tag: "w:commentRangeStart" | "w:commentRangeEnd", id: string): XmlElement {
  const element = createElement(near, tag);
  setAttributeOf(element, "w:id", id);
  return element;
}

function addPart(file: WordFile): string {
  const name = file.pkg.freeName("word/comments", "xml").replace(/1\.xml$/, ".xml");
  const root = file.pkg.xml(file.main);
  const part = file.pkg.has(name) ? file.pkg.freeName("word/comments", "xml") : name;
  file.pkg.set(part, `${XML_HEAD}<w:comments xmlns:w="${root.namespaceURI}"/>`, TYPE);
  file.pkg.relate(file.main, typeOfKind(root, "comments"), part);
  return part;
}
