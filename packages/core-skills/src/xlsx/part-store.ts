import { posix } from "node:path";
import type { InputFile } from "../shared/input-file.ts";
import { type OfficeParts, readOfficeZip, writeOfficeZip } from "../shared/office-zip.ts";
import { inputError } from "../shared/script-error.ts";
import { type ElementBudget, MAX_ELEMENTS, type XmlElement } from "../shared/xml.ts";
import { serializeXml } from "../shared/xml-writer.ts";
import { childrenOf, makeElement, parsePart, walkXml } from "./xml.ts";

/** A link from one part of the document to another, or to the outside. */
export interface Relation {
  readonly id: string;
  /** The last word of its type: `worksheet`, `styles`, `hyperlink`. */
  readonly kind: string;
  /** The name of a part, or an address when it is external. */
  readonly target: string;
  readonly isExternal: boolean;
}

const RELATION_TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/";
const CONTENT_TYPES = "[Content_Types].xml";
const MB = 1024 * 1024;

const PART_BYTES = 100 * MB;

/** The parts of a workbook. Unchanged parts are written back byte by byte. */
export class PartStore {
  readonly #file: string;
  readonly #bytes: Map<string, Uint8Array>;
  readonly #trees = new Map<string, XmlElement>();
  readonly #changed = new Set<string>();
  /** For all trees together. */
  readonly #budget: ElementBudget;

  constructor(parts: OfficeParts, file: string, budget: ElementBudget = { left: MAX_ELEMENTS }) {
    this.#budget = budget;
    this.#bytes = new Map(parts);
    this.#file = file;
  }

  static open(file: InputFile): PartStore {
    return new PartStore(readOfficeZip(file), file.path);
  }

  get file(): string {
    return this.#file;
  }

  get names(): readonly string[] {
    return [...new Set([...this.#bytes.keys(), ...this.#trees.keys()])];
  }

  has(name: string): boolean {
    return this.#bytes.has(name) || this.#trees.has(name);
  }

  /** The tree of a part, to look at. */
  read(name: string): XmlElement | undefined {
    const known = this.#trees.get(name);
    if (known !== undefined) return known;
    const bytes = this.#bytes.get(name);
    if (bytes === undefined) return undefined;
    if (bytes.length > PART_BYTES) {
      throw inputError(
        "FILE_TOO_LARGE",
        `${this.#file}: ${name} has ${bytes.length} bytes; at most ${PART_BYTES} are read.`,
        "Split the workbook, or export the sheet as CSV in the program that made it.",
      );
    }
    const tree = parsePart(decodePart(bytes), `${this.#file} (${name})`, this.#budget);
    this.#trees.set(name, tree);
    return tree;
  }

  /** Drops the tree of an unchanged part, to free memory. */
  release(name: string): void {
    const tree = this.#changed.has(name) ? undefined : this.#trees.get(name);
    if (tree === undefined) return;
    this.#trees.delete(name);
    for (const _ of walkXml(tree)) this.#budget.left += 1;
  }

  /** The tree of a part, to change. */
  change(name: string): XmlElement {
    const tree = this.read(name);
    if (tree === undefined) throw inputError("BROKEN_FILE", `${this.#file} has no part ${name}.`);
    this.#changed.add(name);
    return tree;
  }

  /** Adds a part, or replaces it. */
  put(name: string, tree: XmlElement, contentType: string): void {
    this.#trees.set(name, tree);
    this.#changed.add(name);
    const types = this.change(CONTENT_TYPES);
    types.children = types.children.filter((node) => !isOverride(node, name));
    types.appendChild(makeElement("Override", { PartName: `/${name}`, ContentType: contentType }));
  }

  /** Changes what a part is said to be. */
  retype(name: string, contentType: string): void {
    const override = this.read(CONTENT_TYPES)?.children.find((node) => isOverride(node, name));
    if (typeof override !== "object" || override.attributes.get("ContentType") === contentType) return;
    this.change(CONTENT_TYPES);
    override.attributes.set("ContentType", contentType);
  }

  remove(name: string): void {
    this.#bytes.delete(name);
    this.#trees.delete(name);
    this.#changed.delete(name);
    const types = this.change(CONTENT_TYPES);
    types.children = types.children.filter((node) => !isOverride(node, name));
  }

  relations(of: string): readonly Relation[] {
    return childrenOf(this.read(relationsName(of)), "Relationship").map((each) => {
      const isExternal = each.attributes.get("TargetMode") === "External";
      const target = each.attributes.get("Target") ?? "";
      return {
        id: each.attributes.get("Id") ?? "",
        kind: posix.basename(each.attributes.get("Type") ?? ""),
        target: isExternal ? target : resolveTarget(of, target),
        isExternal,
      };
    });
  }

  /** Links a part to another; returns the id of the link. */
  relate(of: string, kind: string, target: string, isExternal = false): string {
    const name = relationsName(of);
    if (!this.has(name)) {
      const xmlns = "http://schemas.openxmlformats.org/package/2006/relationships";
      this.#trees.set(name, makeElement("Relationships", { xmlns }));
      this.#declareRelations();
    }
    const tree = this.change(name);
    const taken = new Set(childrenOf(tree).map((each) => each.attributes.get("Id")));
    let number = taken.size + 1;
    while (taken.has(`rId${number}`)) number += 1;
    const mode: Record<string, string> = isExternal ? { TargetMode: "External" } : {};
    const attributes = { Id: `rId${number}`, Type: `${typesOf(kind)}${kind}`, ...mode };
    tree.appendChild(
      makeElement("Relationship", { ...attributes, Target: isExternal ? target : `/${target}` }),
    );
    return `rId${number}`;
  }

  /** Some writers list each relationship part by name, so a new one would have no content type. */
  #declareRelations(): void {
    const isDefault = (each: XmlElement) => each.attributes.get("Extension")?.toLowerCase() === "rels";
    if (childrenOf(this.read(CONTENT_TYPES), "Default").some(isDefault)) return;
    const type = "application/vnd.openxmlformats-package.relationships+xml";
    const element = makeElement("Default", { Extension: "rels", ContentType: type });
    this.change(CONTENT_TYPES).insertAt(0, element);
  }

  unrelate(of: string, id: string): void {
    const tree = this.change(relationsName(of));
    tree.children = tree.children.filter(
      (node) => typeof node === "string" || node.attributes.get("Id") !== id,
    );
  }

  /** Removes the parts that were linked from one that is no more, unless others link to them. */
  sweep(): void {
    const reached = new Set<string>();
    const waiting = ["", CONTENT_TYPES];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (reached.has(name) || (name !== "" && !this.has(name))) continue;
      reached.add(name);
      const inner = this.relations(name).filter(({ isExternal }) => !isExternal);
      waiting.push(relationsName(name), ...inner.map(({ target }) => target));
    }
    for (const name of this.names) if (!reached.has(name)) this.remove(name);
  }

  toBytes(): Uint8Array {
    const parts = new Map(this.#bytes);
    for (const name of this.#changed) {
      const tree = this.#trees.get(name);
      if (tree !== undefined) parts.set(name, serializeXml(tree));
    }
    return writeOfficeZip(parts);
  }
}

function typesOf(kind: string): string {
  return kind === "core-properties"
    ? "http://schemas.openxmlformats.org/package/2006/relationships/metadata/"
    : RELATION_TYPES;
}

function relationsName(of: string): string {
  const folder = posix.dirname(of);
  return posix.join(folder === "." ? "" : folder, "_rels", `${posix.basename(of)}.rels`);
}

function resolveTarget(of: string, target: string): string {
  const decoded = target.replace(/%20/g, " ");
  return decoded.startsWith("/") ? decoded.slice(1) : posix.join(posix.dirname(of), decoded);
}

function isOverride(node: XmlElement | string, name: string): boolean {
  return (
    typeof node !== "string" && node.attributes.get("PartName")?.toLowerCase() === `/${name}`.toLowerCase()
  );
}

export function decodePart(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
}
