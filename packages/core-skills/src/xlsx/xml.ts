import { inputError } from "../shared/script-error.ts";
import { Attributes } from "./attributes.ts";

/**
 * XML as a tree that can be changed and written back. Comments and processing instructions are left out; all else
 * stays, in its order.
 *
 * A tree of its own because sheets are large: 200,000 cells are read in a quarter of the time that the general DOM of
 * `shared/xml.ts` takes, and within the memory of a run.
 */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Attributes;
  children: XmlNode[];
}

export type XmlNode = XmlElement | string;

/** Reads one XML document. The prefix of the root element, when it has one, is taken off all names. */
export function parseXml(text: string, where: string): XmlElement {
  return new Reader(text, where).read();
}

export function serializeXml(root: XmlElement): string {
  const pieces = ['<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'];
  writeNode(root, pieces);
  return pieces.join("");
}

export function makeElement(
  name: string,
  attributes: Readonly<Record<string, string>> = {},
  children: readonly XmlNode[] = [],
): XmlElement {
  return { name, attributes: new Attributes(Object.entries(attributes)), children: [...children] };
}

export function isElement(node: XmlNode): node is XmlElement {
  return typeof node !== "string";
}

/** The first child of that name. */
export function childOf(parent: XmlElement | undefined, name: string): XmlElement | undefined {
  return parent?.children.find((node): node is XmlElement => isElement(node) && node.name === name);
}

export function childrenOf(parent: XmlElement | undefined, name?: string): readonly XmlElement[] {
  return (parent?.children ?? []).filter(
    (node): node is XmlElement => isElement(node) && (name === undefined || node.name === name),
  );
}

/** All text below an element, in order. */
export function textOf(element: XmlElement | undefined): string {
  if (element === undefined) return "";
  return element.children.map((node) => (isElement(node) ? textOf(node) : node)).join("");
}

/** The element itself and all below it, in the order of the document. */
export function* walkXml(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const node of element.children) if (isElement(node)) yield* walkXml(node);
}

export function copyElement(element: XmlElement): XmlElement {
  return {
    name: element.name,
    attributes: new Attributes(element.attributes),
    children: element.children.map((node) => (isElement(node) ? copyElement(node) : node)),
  };
}

const DEPTH = 200;

class Reader {
  readonly #text: string;
  readonly #where: string;
  readonly #open: XmlElement[] = [];
  #root: XmlElement | undefined;
  #prefix = "";
  #at = 0;

  constructor(text: string, where: string) {
    this.#text = text.startsWith("\uFEFF") ? text.slice(1) : text;
    this.#where = where;
  }

  read(): XmlElement {
    while (this.#at < this.#text.length) {
      const next = this.#text.indexOf("<", this.#at);
      const end = next === -1 ? this.#text.length : next;
      if (end > this.#at) this.#addText(decodeEntities(this.#text.slice(this.#at, end)));
      this.#at = end;
      if (next !== -1) this.#readMarkup();
    }
    if (this.#root === undefined || this.#open.length > 0) throw this.#broken("it ends too early");
    return this.#root;
  }

  #readMarkup(): void {
    const starts = (mark: string) => this.#text.startsWith(mark, this.#at);
    if (starts("</")) this.#close();
    else if (starts("<!--")) this.#skip("-->");
    else if (starts("<?")) this.#skip("?>");
    else if (starts("<![CDATA[")) this.#readLiteral();
    // Office files have no document types; in one, entities could multiply without end.
    else if (starts("<!")) throw this.#broken("it has a document type");
    else this.#openElement();
  }

  #readLiteral(): void {
    const start = this.#at + "<![CDATA[".length;
    this.#skip("]]>");
    this.#addText(this.#text.slice(start, this.#at - "]]>".length));
  }

  #skip(end: string): void {
    const found = this.#text.indexOf(end, this.#at);
    if (found === -1) throw this.#broken("it ends too early");
    this.#at = found + end.length;
  }

  #addText(text: string): void {
    const parent = this.#open.at(-1);
    if (parent !== undefined) parent.children.push(text);
    else if (text.trim() !== "") throw this.#broken("it has text outside of its root");
  }

  #close(): void {
    const end = this.#text.indexOf(">", this.#at);
    const element = this.#open.pop();
    if (end === -1 || element === undefined) throw this.#broken("an end tag has no start");
    if (this.#localName(this.#text.slice(this.#at + 2, end).trimEnd()) !== element.name) {
      throw this.#broken(`${element.name} is not closed`);
    }
    this.#at = end + 1;
  }

  #openElement(): void {
    nameAt.lastIndex = this.#at + 1;
    const name = nameAt.exec(this.#text)?.[0];
    if (name === undefined) throw this.#broken("a tag has no name");
    if (this.#root !== undefined && this.#open.length === 0) throw this.#broken("it has two roots");
    this.#at += 1 + name.length;
    if (this.#root === undefined)
      this.#prefix = name.includes(":") ? name.slice(0, name.indexOf(":") + 1) : "";
    const element = { name: this.#localName(name), attributes: this.#readAttributes(), children: [] };
    this.#open.at(-1)?.children.push(element);
    this.#root ??= element;
    if (this.#text.startsWith("/>", this.#at)) {
      this.#at += 2;
      return;
    }
    if (this.#text[this.#at] !== ">") throw this.#broken(`${name} is not well-formed`);
    this.#at += 1;
    this.#open.push(element);
    if (this.#open.length > DEPTH) throw this.#broken("it is nested too deeply");
  }

  #readAttributes(): Attributes {
    const attributes = new Attributes();
    for (;;) {
      attributeAt.lastIndex = this.#at;
      const found = attributeAt.exec(this.#text);
      if (found === null) break;
      const [all, name = "", double, single] = found;
      const declares = this.#prefix !== "" && name === `xmlns:${this.#prefix.slice(0, -1)}`;
      attributes.set(declares ? "xmlns" : name, decodeEntities(double ?? single ?? ""));
      this.#at += all.length;
    }
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at += 1;
    return attributes;
  }

  #localName(name: string): string {
    return this.#prefix !== "" && name.startsWith(this.#prefix) ? name.slice(this.#prefix.length) : name;
  }

  #broken(problem: string): Error {
    return inputError(
      "BROKEN_FILE",
      `${this.#where} is damaged: ${problem}.`,
      "Open it in the program that made it and save it again, or ask for another copy.",
    );
  }
}

const nameAt = /[^\s=/><"']+/y;
const attributeAt = /\s+([^\s=/><"']+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
]);

function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{1,8}));/gi, (all, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES.get(name) ?? all;
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : all;
  });
}

function writeNode(node: XmlNode, pieces: string[]): void {
  if (!isElement(node)) {
    pieces.push(escapeText(node));
    return;
  }
  pieces.push("<", node.name);
  for (const [name, value] of node.attributes) pieces.push(" ", name, '="', escapeAttribute(value), '"');
  if (node.children.length === 0) {
    pieces.push("/>");
    return;
  }
  pieces.push(">");
  for (const each of node.children) writeNode(each, pieces);
  pieces.push("</", node.name, ">");
}

function escapeText(text: string): string {
  if (!/[&<>\r]/.test(text)) return text;
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#13;");
}

function escapeAttribute(value: string): string {
  if (!/[&<>"\s]/.test(value)) return value;
  return escapeText(value).replaceAll('"', "&quot;").replaceAll("\n", "&#10;").replaceAll("\t", "&#9;");
}
