import { DOMParser, XMLSerializer } from "@xmldom/xmldom/lib/index.js";
import { inputError, messageOf } from "./script-error.ts";

/** The part of the DOM that office documents are worked on with. */
export interface XmlNode {
  readonly nodeType: number;
  readonly localName: string | null;
  readonly namespaceURI: string | null;
  readonly ownerDocument: XmlDocument;
  readonly parentNode: XmlNode | null;
  readonly firstChild: XmlNode | null;
  readonly nextSibling: XmlNode | null;
  readonly previousSibling: XmlNode | null;
  textContent: string;
  appendChild<Node extends XmlNode>(node: Node): Node;
  insertBefore<Node extends XmlNode>(node: Node, before: XmlNode | null): Node;
  removeChild<Node extends XmlNode>(node: Node): Node;
  cloneNode(isDeep: boolean): this;
}

export interface XmlElement extends XmlNode {
  readonly tagName: string;
  readonly attributes: { readonly length: number; item(index: number): XmlAttribute };
  getAttribute(name: string): string;
  hasAttribute(name: string): boolean;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  setAttributeNS(uri: string | null, name: string, value: string): void;
}

export interface XmlAttribute {
  readonly name: string;
  readonly localName: string;
  readonly namespaceURI: string | null;
  value: string;
}

export interface XmlDocument extends XmlNode {
  readonly documentElement: XmlElement;
  createElementNS(uri: string, name: string): XmlElement;
  createTextNode(text: string): XmlNode;
  importNode<Node extends XmlNode>(node: Node, isDeep: boolean): Node;
}

const MB = 1024 * 1024;
const MAX_XML_LENGTH = 50 * MB;
/** Writers and readers go down into elements by recursion: no document of a person is this deep. */
const MAX_DEPTH = 400;

/** Parses a part. Rejects text that is malformed, has a document type, or is too long or too deep. */
export function parseXml(text: string, label: string): XmlDocument {
  const fail = (reason: string, cause?: unknown) =>
    inputError("BROKEN_FILE", `${label} is not readable XML: ${reason}`, undefined, cause);
  if (text.length > MAX_XML_LENGTH) {
    throw inputError("FILE_TOO_LARGE", `${label} has ${text.length} characters of XML.`);
  }
  if (/<!DOCTYPE/i.test(text)) throw fail("it has a document type.");
  const document = parseStrictly(text, fail);
  if (document?.documentElement == null) throw fail("it has no element.");
  if (isTooDeep(document.documentElement)) throw fail("its elements are nested too deeply.");
  return document;
}

export function serializeXml(document: XmlDocument): string {
  const text = new XMLSerializer().serializeToString(document);
  return text.startsWith("<?xml") ? text : `${XML_HEAD}${text}`;
}

export const XML_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Text as it stands in an element or an attribute. Characters that XML cannot hold are left out. */
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

function parseStrictly(text: string, fail: (reason: string, cause?: unknown) => Error): XmlDocument {
  const refuse = (message: string) => {
    throw fail(messageOf(message));
  };
  try {
    // Warnings are about attributes without quotes and the like, which no writer of office files makes.
    const errorHandler = { warning: refuse, error: refuse, fatalError: refuse };
    return new DOMParser({ locator: {}, errorHandler }).parseFromString(text, "text/xml");
  } catch (error) {
    if (error instanceof Error && "exit" in error) throw error;
    throw fail(messageOf(error), error);
  }
}

function isTooDeep(root: XmlElement): boolean {
  let depth = 1;
  let node: XmlNode = root;
  for (;;) {
    if (node.firstChild !== null) {
      node = node.firstChild;
      depth += 1;
      if (depth > MAX_DEPTH) return true;
      continue;
    }
    while (node.nextSibling === null) {
      if (node.parentNode === null || node === root) return false;
      node = node.parentNode;
      depth -= 1;
      if (node === root) return false;
    }
    node = node.nextSibling;
  }
}
