import {
  PDFArray,
  PDFDict,
  type PDFDocument,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRef,
  PDFString,
} from "@cantoo/pdf-lib";

/** Takes bookmarks to the given pages out of the outline; those below them move up. */
export function pruneOutline(document: PDFDocument, gone: ReadonlySet<PDFRef>): void {
  const key = PDFName.of("Outlines");
  const root = document.catalog.lookup(key);
  const rootRef = document.catalog.get(key);
  if (!(root instanceof PDFDict) || !(rootRef instanceof PDFRef)) return;
  const pruner = new OutlinePruner(document, gone);
  const items = pruner.prune(root);
  if (items.length === 0) document.catalog.delete(key);
  else link(root, rootRef, items);
}

class OutlinePruner {
  readonly #document: PDFDocument;
  readonly #gone: ReadonlySet<PDFRef>;
  readonly #named: ReadonlyMap<string, PDFRef>;
  readonly #seen = new Set<PDFRef>();

  constructor(document: PDFDocument, gone: ReadonlySet<PDFRef>) {
    this.#document = document;
    this.#gone = gone;
    this.#named = readNamed(document);
  }

  /** The items that stay below a parent. A list that leads back into itself ends where it does. */
  prune(parent: PDFDict): readonly PDFRef[] {
    const items: PDFRef[] = [];
    let ref = parent.get(PDFName.of("First"));
    while (ref instanceof PDFRef && !this.#seen.has(ref)) {
      this.#seen.add(ref);
      const item = this.#document.context.lookup(ref);
      if (!(item instanceof PDFDict)) break;
      const next = item.get(PDFName.of("Next"));
      const inner = this.prune(item);
      if (this.#leadsAway(item)) items.push(...inner);
      else {
        link(item, ref, inner);
        items.push(ref);
      }
      ref = next;
    }
    return items;
  }

  #leadsAway(item: PDFDict): boolean {
    const action = item.lookup(PDFName.of("A"));
    const target =
      item.lookup(PDFName.of("Dest")) ??
      (action instanceof PDFDict ? action.lookup(PDFName.of("D")) : undefined);
    const page = target instanceof PDFArray ? target.get(0) : this.#named.get(nameOf(target));
    return page instanceof PDFRef && this.#gone.has(page);
  }
}

function link(parent: PDFDict, parentRef: PDFRef, items: readonly PDFRef[]): void {
  const set = (dict: PDFDict, key: string, value: PDFObject | undefined) => {
    if (value === undefined) dict.delete(PDFName.of(key));
    else dict.set(PDFName.of(key), value);
  };
  set(parent, "First", items[0]);
  set(parent, "Last", items.at(-1));
  set(parent, "Count", items.length === 0 ? undefined : PDFNumber.of(items.length));
  items.forEach((ref, at) => {
    const item = parent.context.lookup(ref, PDFDict);
    set(item, "Parent", parentRef);
    set(item, "Prev", items[at - 1]);
    set(item, "Next", items[at + 1]);
  });
}

/** The pages that names stand for, old style and new. */
function readNamed(document: PDFDocument): ReadonlyMap<string, PDFRef> {
  const named = new Map<string, PDFRef>();
  const add = (name: string, value: PDFObject | undefined) => {
    const target = value instanceof PDFDict ? value.lookup(PDFName.of("D")) : value;
    const page = target instanceof PDFArray ? target.get(0) : undefined;
    if (page instanceof PDFRef) named.set(name, page);
  };
  const old = document.catalog.lookup(PDFName.of("Dests"));
  if (old instanceof PDFDict) for (const key of old.keys()) add(key.decodeText(), old.lookup(key));
  const names = document.catalog.lookup(PDFName.of("Names"));
  const open = [names instanceof PDFDict ? names.lookup(PDFName.of("Dests")) : undefined];
  const seen = new Set<PDFObject>();
  while (open.length > 0) {
    const node = open.pop();
    if (!(node instanceof PDFDict) || seen.has(node)) continue;
    seen.add(node);
    const pairs = node.lookup(PDFName.of("Names"));
    for (let at = 0; pairs instanceof PDFArray && at + 1 < pairs.size(); at += 2) {
      add(nameOf(pairs.lookup(at)), pairs.lookup(at + 1));
    }
    const kids = node.lookup(PDFName.of("Kids"));
    for (let at = 0; kids instanceof PDFArray && at < kids.size(); at += 1) open.push(kids.lookup(at));
  }
  return named;
}

function nameOf(value: PDFObject | undefined): string {
  return value instanceof PDFName || value instanceof PDFString || value instanceof PDFHexString
    ? value.decodeText()
    : "";
}
