import {
  attributeOf,
  childOf,
  childrenOf,
  createElement,
  descendantsOf,
  setAttributeOf,
  typeOfKind,
} from "../shared/office-xml.ts";
import { XML_HEAD, type XmlElement } from "../shared/xml.ts";
import type { WordFile } from "./word-file.ts";

/** Brings the lists that content uses into another document, where they count from their own beginning. */
export class NumberingImport {
  readonly #target: WordFile;
  readonly #source: XmlElement | undefined;
  readonly #lists = new Map<string, string>();

  constructor(target: WordFile, source: WordFile) {
    this.#target = target;
    const part = source.part("numbering");
    this.#source = part === undefined ? undefined : source.pkg.xml(part);
  }

  adapt(element: XmlElement): void {
    for (const each of descendantsOf(element, "w:numId")) {
      const list = this.#listOf(attributeOf(each, "w:val") ?? "");
      if (list !== undefined) setAttributeOf(each, "w:val", list);
    }
  }

  /** Zero stands for no list. */
  #listOf(id: string): string | undefined {
    if (id === "0" || this.#source === undefined) return undefined;
    const known = this.#lists.get(id);
    if (known !== undefined) return known;
    const list = childrenOf(this.#source, "w:num").find((each) => attributeOf(each, "w:numId") === id);
    const kindId = attributeOf(childOf(list, "w:abstractNumId"), "w:val");
    const kind = childrenOf(this.#source, "w:abstractNum").find(
      (each) => attributeOf(each, "w:abstractNumId") === kindId,
    );
    if (list === undefined || kind === undefined) return undefined;
    const copied = this.#copy(list, kind);
    this.#lists.set(id, copied);
    return copied;
  }

  #copy(list: XmlElement, kind: XmlElement): string {
    const root = this.#target.pkg.edit(numberingPart(this.#target));
    const kindId = nextId(
      childrenOf(root, "w:abstractNum").map((each) => attributeOf(each, "w:abstractNumId")),
    );
    const listId = nextId(childrenOf(root, "w:num").map((each) => attributeOf(each, "w:numId")));
    const kindCopy = kind.cloneNode(true);
    setAttributeOf(kindCopy, "w:abstractNumId", kindId);
    // Two definitions with one such id are taken for the same list.
    const nsid = childOf(kindCopy, "w:nsid");
    if (nsid !== undefined) kindCopy.removeChild(nsid);
    // In the schema all definitions come before all lists.
    root.insertBefore(kindCopy, childOf(root, "w:num") ?? childOf(root, "w:numIdMacAtCleanup"));
    const listCopy = list.cloneNode(true);
    setAttributeOf(listCopy, "w:numId", listId);
    const reference =
      childOf(listCopy, "w:abstractNumId") ??
      listCopy.appendChild(createElement(listCopy, "w:abstractNumId"));
    setAttributeOf(reference, "w:val", kindId);
    root.insertBefore(listCopy, childOf(root, "w:numIdMacAtCleanup"));
    return listId;
  }
}

function numberingPart(file: WordFile): string {
  const existing = file.part("numbering");
  if (existing !== undefined) return existing;
  const name = "word/numbering.xml";
  const uri = file.body.namespaceURI ?? "";
  file.pkg.set(name, `${XML_HEAD}<w:numbering xmlns:w="${uri}"/>`, CONTENT_TYPE);
  file.pkg.relate(file.main, typeOfKind(file.body, "numbering"), name);
  return name;
}

const CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml";

function nextId(taken: readonly (string | undefined)[]): string {
  return String(taken.reduce((most, id) => Math.max(most, Number(id) || 0), 0) + 1);
}
