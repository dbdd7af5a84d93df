import {
  PDFArray,
  type PDFContext,
  PDFDict,
  type PDFDocument,
  PDFName,
  PDFNumber,
  type PDFObject,
  type PDFPage,
  PDFPageLeaf,
  PDFRef,
} from "@cantoo/pdf-lib";
import { formOf } from "./form-field.ts";
import { pruneOutline } from "./prune-outline.ts";
import { sweep } from "./sweep.ts";

/**
 * Keeps the given pages in the given order. Objects that belong only to other pages are deleted from the file, not
 * hidden, because the reader of an extract must not find the rest in it. Links to deleted pages have no target.
 *
 * Contract: the caller only saves the document afterwards, because its own list of pages is stale.
 */
export function keepPages(document: PDFDocument, kept: readonly number[]): void {
  const pages = document.getPages();
  const isKept = new Set(kept);
  const staying = kept.flatMap((index) => pages[index] ?? []);
  const leaving = pages.filter((_, index) => !isKept.has(index));
  pruneOutline(document, new Set(leaving.map(({ ref }) => ref)));
  replaceTree(document, staying);
  removeObjects(document.context, staying, leaving);
  const form = formOf(document);
  if (form !== undefined) pruneFields(form.lookup(PDFName.of("Fields")), new Set());
  sweep(document.context);
}

/** One flat list of pages. They are given what they had from the tree above them. */
function replaceTree(document: PDFDocument, pages: readonly PDFPage[]): void {
  const rootRef = document.catalog.get(PDFName.of("Pages"));
  const root = document.catalog.lookup(PDFName.of("Pages"), PDFDict);
  for (const { node } of pages) {
    for (const entry of PDFPageLeaf.InheritableEntries) {
      const key = PDFName.of(entry);
      const value = node.getInheritableAttribute(key);
      if (!node.has(key) && value !== undefined) node.set(key, value);
    }
    if (rootRef instanceof PDFRef) node.setParent(rootRef);
  }
  root.set(PDFName.of("Kids"), document.context.obj(pages.map(({ ref }) => ref)));
  root.set(PDFName.of("Count"), PDFNumber.of(pages.length));
}

/** Pages, their annotations, and the parts of the structure tree that speak of them. */
function removeObjects(context: PDFContext, staying: readonly PDFPage[], leaving: readonly PDFPage[]): void {
  const gone = new Set(leaving.map(({ ref }) => ref));
  const stillUsed = new Set(staying.flatMap(annotationsOf));
  for (const ref of leaving.flatMap(annotationsOf)) if (!stillUsed.has(ref)) gone.add(ref);
  for (const [ref, object] of context.enumerateIndirectObjects()) {
    const page = object instanceof PDFDict ? object.get(PDFName.of("Pg")) : undefined;
    if (page instanceof PDFRef && gone.has(page)) gone.add(ref);
  }
  for (const ref of gone) context.delete(ref);
}

function annotationsOf({ node }: PDFPage): readonly PDFRef[] {
  const annotations = node.lookup(PDFName.of("Annots"));
  if (!(annotations instanceof PDFArray)) return [];
  return annotations.asArray().filter((each) => each instanceof PDFRef);
}

/** Takes out fields of which no part is left. */
function pruneFields(list: PDFObject | undefined, seen: Set<PDFObject>): void {
  if (!(list instanceof PDFArray) || seen.has(list)) return;
  seen.add(list);
  for (let at = list.size() - 1; at >= 0; at -= 1) {
    const field = list.lookup(at);
    const kids = field instanceof PDFDict ? field.lookup(PDFName.of("Kids")) : undefined;
    pruneFields(kids, seen);
    const isEmpty = kids instanceof PDFArray && kids.size() === 0;
    if (!(field instanceof PDFDict) || isEmpty) list.remove(at);
  }
}
