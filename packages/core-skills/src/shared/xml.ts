import { SaxesParser } from "saxes";
import { inputError, messageOf } from "./script-error.ts";
import { Attributes } from "./xml-attributes.ts";
import { type Scope, scopeWith } from "./xml-scope.ts";

/** An element, or text. Comments and processing instructions are not kept. */
export type XmlNode = XmlElement | string;

/**
 * An element of the one XML tree of the office skills. Methods have the names of the DOM.
 *
 * Text is plain strings and attributes are flat lists: a DOM of nodes needs several times the memory for a sheet with
 * 600,000 cells, which is more than a run has.
 */
export class XmlElement {
  readonly name: string;
  readonly attributes: Attributes;
  /** The root's prefix in the file, such as `x:`, if the parser removed it from all names. */
  readonly prefix: string;
  #scope: Scope | undefined;
  #parent: XmlElement | null = null;
  #children: XmlNode[] = NONE;

  /** Without a scope, the element is written as it is named. */
  constructor(name: string, attributes: Attributes, scope?: Scope, prefix = "") {
    this.name = name;
    this.attributes = attributes;
    this.#scope = scope;
    this.prefix = prefix;
  }

  get scope(): Scope | undefined {
    return this.#scope;
  }

  get parentNode(): XmlElement | null {
    return this.#parent;
  }

  get localName(): string {
    return this.name.slice(this.name.indexOf(":") + 1);
  }

  get namespaceURI(): string | undefined {
    return this.#scope?.get(prefixOf(this.name));
  }

  get children(): readonly XmlNode[] {
    return this.#children;
  }

  /** Contract: no other element keeps these nodes. */
  set children(nodes: readonly XmlNode[]) {
    this.#children = nodes.length === 0 ? NONE : nodes.slice();
    for (const node of nodes) if (typeof node !== "string") node.#parent = this;
  }

  get textContent(): string {
    const [only] = this.#children;
    if (this.#children.length < 2) return typeof only === "object" ? only.textContent : (only ?? "");
    return this.#children.map((node) => (typeof node === "string" ? node : node.textContent)).join("");
  }

  set textContent(text: string) {
    this.children = text === "" ? [] : [text];
  }

  getAttribute(name: string): string {
    return this.attributes.get(name) ?? "";
  }

  hasAttribute(name: string): boolean {
    return this.attributes.has(name);
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }

  appendChild(element: XmlElement): XmlElement {
    return this.insertAt(this.#children.length, element);
  }

  /** Inserts before a child, or at the end. */
  insertBefore(element: XmlElement, before: XmlElement | undefined): XmlElement {
    if (element === before) return element;
    element.#detach();
    const index = before === undefined ? -1 : this.#children.indexOf(before);
    return this.insertAt(index === -1 ? this.#children.length : index, element);
  }

  insertAt(index: number, element: XmlElement): XmlElement {
    const isOwn = element.#parent === this;
    const before = isOwn ? this.#children.indexOf(element) : -1;
    element.#detach();
    if (this.#children === NONE) this.#children = [];
    this.#children.splice(before !== -1 && before < index ? index - 1 : index, 0, element);
    element.#parent = this;
    return element;
  }

  removeChild(element: XmlElement): void {
    if (element.#parent === this) element.#detach();
  }

  cloneNode(isDeep: boolean): XmlElement {
    const copy = new XmlElement(this.name, new Attributes(this.attributes), this.#scope, this.prefix);
    if (isDeep)
      copy.children = this.#children.map((node) => (typeof node === "string" ? node : node.cloneNode(true)));
    return copy;
  }

  /** Binds a prefix for names in this element. The writer adds the declaration where it is missing. */
  bind(prefix: string, uri: string): void {
    this.#scope = scopeWith(this.#scope, [[prefix, uri]]);
  }

  #detach(): void {
    const parent = this.#parent;
    this.#parent = null;
    if (parent === null) return;
    const index = parent.#children.indexOf(this);
    if (index !== -1) parent.#children.splice(index, 1);
  }
}

/** Shared by all elements without content. */
const NONE: XmlNode[] = [];

export function prefixOf(name: string): string {
  const colon = name.indexOf(":");
  return colon === -1 ? "" : name.slice(0, colon);
}

/** How many elements may still be read: each takes one away. */
export interface ElementBudget {
  left: number;
}

/** About 900,000 cells. Changing and writing them needs about 1 GB, the memory limit of a run. */
export const MAX_ELEMENTS = 2_000_000;

const MB = 1024 * 1024;
const MAX_LENGTH = 100 * MB;
/** Code goes down into elements by recursion. */
const MAX_DEPTH = 400;

export interface XmlOptions {
  readonly budget?: ElementBudget;
  /** Removes the prefix of the root element from all names. The writer adds it again. */
  readonly isPrefixRemoved?: boolean;
}

/**
 * Reads one XML document. Rejects text that is malformed, has a document type (so no entities are defined or loaded),
 * or is too long, too deep or too large.
 */
export function parseXml(text: string, where: string, options: XmlOptions = {}): XmlElement {
  if (text.length > MAX_LENGTH) {
    throw inputError("FILE_TOO_LARGE", `${where} has ${text.length} characters of XML.`);
  }
  const budget = options.budget ?? { left: MAX_ELEMENTS };
  const builder = new TreeBuilder(options.isPrefixRemoved === true);
  scanXml(text, where, {
    open: (name, attributes) => {
      budget.left -= 1;
      if (budget.left < 0) throw tooLarge(where);
      builder.open(name, attributes);
    },
    text: (piece) => builder.add(piece),
    close: () => builder.close(),
  });
  if (builder.root === undefined) throw broken(where, "it has no element.");
  return builder.root;
}

export interface XmlHandlers {
  readonly open: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly text: (text: string) => void;
  readonly close: (name: string) => void;
}

/** Reads XML without building a tree. The only use of the parser. */
export function scanXml(text: string, where: string, handlers: XmlHandlers): void {
  const parser = new SaxesParser({ xmlns: false, position: false });
  let depth = 0;
  parser.on("doctype", () => parser.fail("it has a document type."));
  parser.on("opentag", ({ name, attributes }) => {
    depth += 1;
    if (depth > MAX_DEPTH) parser.fail("its elements are nested too deeply.");
    handlers.open(name, attributes);
  });
  parser.on("text", handlers.text);
  parser.on("cdata", handlers.text);
  parser.on("closetag", ({ name }) => {
    depth -= 1;
    handlers.close(name);
  });
  try {
    // Without a handler of errors, the first one is thrown.
    parser.write(text).close();
  } catch (error) {
    if (error instanceof Error && "exit" in error) throw error;
    throw broken(where, messageOf(error), error);
  }
}

class TreeBuilder {
  root: XmlElement | undefined;
  readonly #isPrefixRemoved: boolean;
  readonly #open: { readonly element: XmlElement; readonly start: number }[] = [];
  /** The finished children of all open elements. One shared list, because spare capacity per element adds up. */
  readonly #nodes: XmlNode[] = [];
  #prefix = "";

  constructor(isPrefixRemoved: boolean) {
    this.#isPrefixRemoved = isPrefixRemoved;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const isRoot = this.root === undefined;
    if (isRoot && this.#isPrefixRemoved) this.#prefix = name.slice(0, name.indexOf(":") + 1);
    const element = new XmlElement(
      this.#localName(name),
      Attributes.of(attributes),
      scopeWith(this.#open.at(-1)?.element.scope, declarationsIn(attributes)),
      isRoot ? this.#prefix : "",
    );
    this.root ??= element;
    this.#open.push({ element, start: this.#nodes.length });
  }

  add(text: string): void {
    if (this.#open.length > 0) this.#nodes.push(text);
  }

  close(): void {
    const closed = this.#open.pop();
    if (closed === undefined) return;
    const { element, start } = closed;
    if (this.#nodes.length > start) element.children = this.#nodes.splice(start);
    this.#nodes.push(element);
  }

  /** Removes the root's prefix. A name without a prefix then begins with a colon, to stay distinct. */
  #localName(name: string): string {
    if (this.#prefix === "") return name;
    if (name.startsWith(this.#prefix)) return name.slice(this.#prefix.length);
    return name.includes(":") ? name : `:${name}`;
  }
}

function declarationsIn(attributes: Readonly<Record<string, string>>): readonly [string, string][] {
  const found: [string, string][] = [];
  for (const name in attributes) {
    if (name === "xmlns") found.push(["", attributes[name] ?? ""]);
    else if (name.startsWith("xmlns:")) found.push([name.slice(6), attributes[name] ?? ""]);
  }
  return found;
}

/** Text as it stands in an element or an attribute. Characters that XML cannot contain are removed. */
export function escapeXml(text: string): string {
  return cleanText(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** Without the characters that no XML document may have: most control characters, and halves of pairs. */
export function cleanText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are looked for.
  return text.toWellFormed().replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, "");
}

export const XML_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

function tooLarge(where: string): Error {
  return inputError(
    "FILE_TOO_LARGE",
    `${where} has more than ${MAX_ELEMENTS} XML elements, about 900,000 cells.`,
    "Split the document, or export the sheet as CSV in the program that made it.",
  );
}

function broken(where: string, problem: string, cause?: unknown): Error {
  return inputError(
    "BROKEN_FILE",
    `${where} is damaged: ${problem}`,
    "Open it in the program that made it and save it again, or ask for another copy.",
    cause,
  );
}
