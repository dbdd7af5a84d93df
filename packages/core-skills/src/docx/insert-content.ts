import { type Copied, copyPart, idAttributes } from "../shared/copy-part.ts";
import {
  attributeOf,
  childrenOf,
  descend,
  descendantsOf,
  hasTag,
  insertAfter,
  removeNode,
  setAttributeOf,
  type Tag,
} from "../shared/office-xml.ts";
import { inputError } from "../shared/script-error.ts";
import type { XmlElement } from "../shared/xml.ts";
import { NoteImport } from "./note-import.ts";
import { NumberingImport } from "./numbering-import.ts";
import { StyleImport } from "./style-import.ts";
import type { WordFile } from "./word-file.ts";

/** What could not come along. */
export type Dropped = { readonly comments: number; readonly sections: number };

/** The content of a body, without the page settings at its end. */
export function contentOf(file: WordFile): readonly XmlElement[] {
  return childrenOf(file.body).filter((element) => !hasTag(element, "w:sectPr"));
}

/**
 * Puts content of one document into another: after an element, or at the end. Text takes on the styles that the target
 * has under the same names; styles, lists, images, links and notes that it lacks come along.
 */
export function insertContent(
  target: WordFile,
  source: WordFile,
  content: readonly XmlElement[],
  after: XmlElement | undefined,
): Dropped {
  rejectOtherVariant(target, source);
  const body = target.editBody();
  const elements = content.map((element) => element.cloneNode(true));
  const dropped = dropForeign(elements);
  renumber(elements, body, "wp:docPr");
  renumberBookmarks(elements, body);
  const numbering = new NumberingImport(target, source);
  const styles = new StyleImport(target, source, numbering);
  for (const element of elements) {
    styles.adapt(element);
    numbering.adapt(element);
  }
  const copied: Copied = new Map();
  for (const element of elements) adaptRelations(element, target, source, copied);
  new NoteImport(target, source, styles, numbering, (note, targetPart, sourcePart) =>
    adaptRelations(note, target, source, copied, targetPart, sourcePart),
  ).adapt(elements);
  place(elements, body, after);
  return dropped;
}

/** The strict variant of the format has other namespaces: elements of both in one file are read by no program. */
function rejectOtherVariant(target: WordFile, source: WordFile): void {
  if (target.body.namespaceURI === source.body.namespaceURI) return;
  const isStrict = target.body.namespaceURI?.startsWith("http://purl.oclc.org/") === true;
  throw inputError(
    "STRICT_FORMAT",
    `${(isStrict ? target : source).pkg.file.path} is saved as "Strict Open XML".`,
    "Save it as an ordinary Word document first.",
  );
}

/** Page settings of sections, and comments, belong to the document that they come from. */
function dropForeign(elements: readonly XmlElement[]): Dropped {
  const all = (tag: Tag) => elements.flatMap((element) => descendantsOf(element, tag));
  const sections = all("w:sectPr");
  const references = all("w:commentReference");
  for (const node of [
    ...sections,
    ...references,
    ...all("w:commentRangeStart"),
    ...all("w:commentRangeEnd"),
  ]) {
    removeNode(node);
  }
  for (const element of elements) {
    if (hasTag(element, "w:commentRangeStart") || hasTag(element, "w:commentRangeEnd")) removeNode(element);
  }
  return { comments: references.length, sections: sections.length };
}

/** Ids of drawings must be unlike in one document. */
function renumber(elements: readonly XmlElement[], body: XmlElement, tag: Tag): void {
  let last = descendantsOf(body, tag).reduce(
    (most, each) => Math.max(most, Number(each.getAttribute("id")) || 0),
    0,
  );
  for (const each of elements.flatMap((element) => descendantsOf(element, tag))) {
    last += 1;
    each.setAttribute("id", String(last));
  }
}

function renumberBookmarks(elements: readonly XmlElement[], body: XmlElement): void {
  const ids = descendantsOf(body, "w:bookmarkStart").map((each) => Number(attributeOf(each, "w:id")) || 0);
  const last = ids.reduce((most, id) => Math.max(most, id), 0);
  for (const tag of ["w:bookmarkStart", "w:bookmarkEnd"] as const) {
    const inside = elements.flatMap((each) => (hasTag(each, tag) ? [each] : descendantsOf(each, tag)));
    for (const each of inside) {
      setAttributeOf(each, "w:id", String(last + 1 + (Number(attributeOf(each, "w:id")) || 0)));
    }
  }
}

/** Copies what the elements relate to, and gives them the new ids. */
function adaptRelations(
  element: XmlElement,
  target: WordFile,
  source: WordFile,
  copied: Copied,
  targetPart = target.main,
  sourcePart = source.main,
): void {
  for (const tag of idAttributes) {
    const relation = source.pkg.relation(sourcePart, attributeOf(element, tag));
    if (relation === undefined) continue;
    const { type, isExternal, target: name } = relation;
    if (!isExternal && !source.pkg.has(name)) continue;
    const place = isExternal ? name : copyPart(name, source.pkg, target.pkg, copied);
    setAttributeOf(element, tag, target.pkg.relate(targetPart, type, place, isExternal));
  }
  for (const child of childrenOf(element))
    adaptRelations(child, target, source, copied, targetPart, sourcePart);
}

function place(elements: readonly XmlElement[], body: XmlElement, after: XmlElement | undefined): void {
  if (after !== undefined) {
    for (const element of elements.toReversed()) insertAfter(element, after);
    return;
  }
  const settings = descend(body, "w:sectPr");
  for (const element of elements) body.insertBefore(element, settings);
}
