import { posix } from "node:path";
import type { InputFile } from "./input-file.ts";
import { childrenOf, createSibling, kindOfType } from "./office-xml.ts";
import { type OfficeParts, readOfficeZip, readXmlPart, writeOfficeZip } from "./office-zip.ts";
import { inputError } from "./script-error.ts";
import { parseXml, XML_HEAD, type XmlElement } from "./xml.ts";
import { serializeXml } from "./xml-writer.ts";

/** A relationship of a part: to another part by its name, or to an address outside. */
export interface Relation {
  readonly id: string;
  readonly type: string;
  /** The last part of the type: `image`, `slideLayout`. */
  readonly kind: string;
  readonly target: string;
  readonly isExternal: boolean;
}

/** An office document as its parts and the relationships between them. Parts that are not edited keep their bytes. */
export class OfficePackage {
  readonly #file: InputFile;
  readonly #parts: Map<string, Uint8Array>;
  readonly #documents = new Map<string, XmlElement>();
  readonly #edited = new Set<string>();
  readonly #relations = new Map<string, readonly Relation[]>();
  readonly #removed = new Set<string>();

  constructor(file: InputFile, parts: OfficeParts = readOfficeZip(file)) {
    this.#file = file;
    this.#parts = new Map(parts);
    if (!this.has(CONTENT_TYPES)) {
      throw inputError("NOT_AN_OFFICE_FILE", `${file.path} is a ZIP archive but not an office document.`);
    }
  }

  get file(): InputFile {
    return this.#file;
  }

  get names(): readonly string[] {
    return [...this.#parts.keys()];
  }

  /** The parts that were removed since the document was opened. */
  get removed(): ReadonlySet<string> {
    return this.#removed;
  }

  has(name: string): boolean {
    return this.#parts.has(name);
  }

  bytes(name: string): Uint8Array {
    const bytes = this.#edited.has(name) ? this.#serialize(name) : this.#parts.get(name);
    if (bytes === undefined) throw this.#broken(`${name} is missing`);
    return bytes;
  }

  /** The part for reading. Changes are saved only after a call of `edit`. */
  xml(name: string): XmlElement {
    const known = this.#documents.get(name);
    if (known !== undefined) return known;
    const text = readXmlPart(this.#parts, name, this.#file);
    if (text === undefined) throw this.#broken(`${name} is missing`);
    const document = parseXml(text.replace(/^\uFEFF/, ""), `${this.#file.path}: ${name}`);
    this.#documents.set(name, document);
    return document;
  }

  /** The part to change. */
  edit(name: string): XmlElement {
    const document = this.xml(name);
    this.#edited.add(name);
    return document;
  }

  set(name: string, content: Uint8Array | string, contentType: string): void {
    this.#documents.delete(name);
    this.#edited.delete(name);
    this.#parts.set(name, typeof content === "string" ? Buffer.from(content) : content);
    this.#declare(name, contentType);
  }

  /** Removes the part with its own relationships. The caller removes the relationships to it. */
  remove(name: string): void {
    this.#relations.delete(name);
    this.#removed.add(name);
    for (const each of [name, relationsName(name)]) {
      this.#parts.delete(each);
      this.#documents.delete(each);
      this.#edited.delete(each);
    }
    const types = this.edit(CONTENT_TYPES);
    for (const each of childrenOf(types, "ct:Override")) {
      if (each.getAttribute("PartName") === `/${name}`) types.removeChild(each);
    }
  }

  /** Changes the content type of a part. */
  retype(name: string, contentType: string): void {
    if (this.contentType(name) === contentType) return;
    const types = this.edit(CONTENT_TYPES);
    for (const each of childrenOf(types, "ct:Override")) {
      if (each.getAttribute("PartName").toLowerCase() === `/${name}`.toLowerCase()) types.removeChild(each);
    }
    this.#declare(name, contentType);
  }

  contentType(name: string): string | undefined {
    const types = childrenOf(this.xml(CONTENT_TYPES));
    const override = types.find(
      (each) => each.getAttribute("PartName").toLowerCase() === `/${name}`.toLowerCase(),
    );
    const extension = extensionOf(name);
    const byExtension = types.find((each) => each.getAttribute("Extension").toLowerCase() === extension);
    return (override ?? byExtension)?.getAttribute("ContentType");
  }

  relations(part: string): readonly Relation[] {
    const known = this.#relations.get(part);
    if (known !== undefined) return known;
    const name = relationsName(part);
    const elements = this.has(name) ? childrenOf(this.xml(name), "rel:Relationship") : [];
    const relations = elements.map((element) => readRelation(part, element));
    this.#relations.set(part, relations);
    return relations;
  }

  related(part: string, kind: string): readonly Relation[] {
    return this.relations(part).filter((relation) => relation.kind === kind && !relation.isExternal);
  }

  relation(part: string, id: string | undefined): Relation | undefined {
    return this.relations(part).find((relation) => relation.id === id);
  }

  /** Adds a relationship unless it exists. Returns its id. */
  relate(part: string, type: string, target: string, isExternal = false): string {
    const existing = this.relations(part).find(
      (each) => each.type === type && each.target === target && each.isExternal === isExternal,
    );
    if (existing !== undefined) return existing.id;
    const name = relationsName(part);
    if (!this.has(name)) {
      this.#parts.set(name, Buffer.from(EMPTY_RELATIONS));
      // Some writers list each relationship part by name, so a new one would have no content type.
      this.#declare("any.rels", RELATIONS_TYPE);
    }
    const root = this.edit(name);
    const element = createSibling(root, "Relationship");
    const id = nextId(childrenOf(root).map((each) => each.getAttribute("Id")));
    element.setAttribute("Id", id);
    element.setAttribute("Type", type);
    element.setAttribute(
      "Target",
      isExternal ? target : posix.relative(posix.dirname(`/${part}`), `/${target}`),
    );
    if (isExternal) element.setAttribute("TargetMode", "External");
    root.appendChild(element);
    this.#relations.delete(part);
    return id;
  }

  unrelate(part: string, id: string): void {
    this.#relations.delete(part);
    const root = this.edit(relationsName(part));
    for (const each of childrenOf(root)) if (each.getAttribute("Id") === id) root.removeChild(each);
  }

  /** A name that no part has: `ppt/slides/slide7.xml` after six of them. */
  freeName(stem: string, extension: string): string {
    for (let number = 1; ; number += 1) {
      const name = `${stem}${number}.${extension}`;
      if (!this.has(name)) return name;
    }
  }

  save(): Uint8Array {
    return writeOfficeZip(new Map(this.names.map((name) => [name, this.bytes(name)])));
  }

  #serialize(name: string): Uint8Array {
    return serializeXml(this.xml(name));
  }

  #declare(name: string, contentType: string): void {
    if (this.contentType(name) === contentType) return;
    const types = this.edit(CONTENT_TYPES);
    const create = (kind: string, key: string, value: string) => {
      const element = createSibling(types, kind);
      element.setAttribute(key, value);
      element.setAttribute("ContentType", contentType);
      return element;
    };
    const extension = extensionOf(name);
    const isPlain = extension !== "xml" && this.contentType(name) === undefined;
    // The schema lets both kinds stand in any order.
    types.appendChild(
      isPlain ? create("Default", "Extension", extension) : create("Override", "PartName", `/${name}`),
    );
  }

  #broken(reason: string): Error {
    return inputError("BROKEN_FILE", `${this.#file.path} is damaged: ${reason}.`);
  }
}

const CONTENT_TYPES = "[Content_Types].xml";
const RELATIONS_TYPE = "application/vnd.openxmlformats-package.relationships+xml";
const EMPTY_RELATIONS = `${XML_HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"/>`;

/** The package itself has the relationships of the part without a name. */
export function relationsName(part: string): string {
  const { dir, base } = posix.parse(part);
  return posix.join(dir, "_rels", `${base}.rels`);
}

export function extensionOf(name: string): string {
  const base = posix.basename(name);
  const dot = base.lastIndexOf(".");
  return dot === -1 ? "" : base.slice(dot + 1).toLowerCase();
}

function readRelation(part: string, element: XmlElement): Relation {
  const type = element.getAttribute("Type");
  const target = element.getAttribute("Target");
  const isExternal = element.getAttribute("TargetMode") === "External";
  return {
    id: element.getAttribute("Id"),
    type,
    kind: kindOfType(type),
    // From the root no `..` leads further up.
    target: isExternal ? target : posix.resolve("/", posix.dirname(part), target).slice(1),
    isExternal,
  };
}

function nextId(taken: readonly string[]): string {
  const known = new Set(taken);
  let number = taken.length + 1;
  while (known.has(`rId${number}`)) number += 1;
  return `rId${number}`;
}
