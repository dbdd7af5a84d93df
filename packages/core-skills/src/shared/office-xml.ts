import { parseXml, prefixOf, XmlElement, type XmlNode } from "./xml.ts";
import { Attributes } from "./xml-attributes.ts";

/** An element by the customary prefix of its namespace, whatever prefix the file has: `w:p`, `a:t`. */
export type Tag = `${Prefix}:${string}`;
type Prefix = keyof typeof namespaces;

/** Each namespace as almost all files have it, and as those that are saved as "Strict Open XML" do. */
const namespaces = {
  w: [
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/wordprocessingml/main",
  ],
  a: ["http://schemas.openxmlformats.org/drawingml/2006/main", "http://purl.oclc.org/ooxml/drawingml/main"],
  p: [
    "http://schemas.openxmlformats.org/presentationml/2006/main",
    "http://purl.oclc.org/ooxml/presentationml/main",
  ],
  r: [
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "http://purl.oclc.org/ooxml/officeDocument/relationships",
  ],
  wp: [
    "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing",
  ],
  c: ["http://schemas.openxmlformats.org/drawingml/2006/chart", "http://purl.oclc.org/ooxml/drawingml/chart"],
  mc: ["http://schemas.openxmlformats.org/markup-compatibility/2006"],
  cp: ["http://schemas.openxmlformats.org/package/2006/metadata/core-properties"],
  dc: ["http://purl.org/dc/elements/1.1/"],
  dcterms: ["http://purl.org/dc/terms/"],
  xsi: ["http://www.w3.org/2001/XMLSchema-instance"],
  rel: ["http://schemas.openxmlformats.org/package/2006/relationships"],
  ct: ["http://schemas.openxmlformats.org/package/2006/content-types"],
} as const satisfies Record<string, readonly string[]>;

export function isElement(node: XmlNode | null | undefined): node is XmlElement {
  return typeof node === "object" && node !== null;
}

export function hasTag(node: XmlNode | null | undefined, tag: Tag): boolean {
  if (!isElement(node)) return false;
  const [prefix, name] = split(tag);
  return isNamed(node.name, name) && isIn(prefix, node.namespaceURI);
}

/** The child elements, or those of one name. */
export function childrenOf(parent: XmlElement, tag?: Tag): readonly XmlElement[] {
  return parent.children.filter(
    (node): node is XmlElement => isElement(node) && (tag === undefined || hasTag(node, tag)),
  );
}

export function childOf(parent: XmlElement | undefined, tag: Tag): XmlElement | undefined {
  return parent?.children.find((node): node is XmlElement => hasTag(node, tag));
}

/** Follows a path of children: `w:pPr`, `w:pStyle`. */
export function descend(parent: XmlElement | undefined, ...tags: readonly Tag[]): XmlElement | undefined {
  let node = parent;
  for (const tag of tags) node = childOf(node, tag);
  return node;
}

/** Every element of that name below, in the order of the document. The list is made first: edits do not disturb it. */
export function descendantsOf(parent: XmlElement, tag: Tag): readonly XmlElement[] {
  const found: XmlElement[] = [];
  const visit = (element: XmlElement): void => {
    for (const child of element.children) {
      if (!isElement(child)) continue;
      if (hasTag(child, tag)) found.push(child);
      visit(child);
    }
  };
  visit(parent);
  return found;
}

/** The nearest element of that name above. */
export function ancestorOf(node: XmlElement, tag: Tag): XmlElement | undefined {
  for (let parent = node.parentNode; parent !== null; parent = parent.parentNode) {
    if (hasTag(parent, tag)) return parent;
  }
  return undefined;
}

/** An attribute with a namespace: `w:val`, `r:id`. */
export function attributeOf(element: XmlElement | undefined, tag: Tag): string | undefined {
  const name = attributeName(element, tag);
  return name === undefined ? undefined : element?.attributes.get(name);
}

export function setAttributeOf(element: XmlElement, tag: Tag, value: string): void {
  const [prefix, name] = split(tag);
  const existing = attributeName(element, tag);
  element.setAttribute(existing ?? `${attributePrefix(element, prefix)}:${name}`, value);
}

/** A plain attribute; undefined when it is not there. */
export function plainAttribute(element: XmlElement | undefined, name: string): string | undefined {
  return element?.attributes.get(name);
}

/** An element in the namespaces and with the prefixes of the document of `near`. */
export function createElement(near: XmlElement, tag: Tag): XmlElement {
  const [prefix, name] = split(tag);
  return createIn(near, uriFor(near, prefix), prefix, name);
}

/** An element in the namespace of another. */
export function createSibling(near: XmlElement, name: string): XmlElement {
  return createIn(near, near.namespaceURI ?? "", prefixOf(near.name), name);
}

function createIn(near: XmlElement, uri: string, customary: string, name: string): XmlElement {
  const known = near.scope?.get(prefixOf(near.name)) === uri ? prefixOf(near.name) : undefined;
  const prefix = known ?? near.scope?.prefixFor(uri, false) ?? customary;
  const element = new XmlElement(prefix === "" ? name : `${prefix}:${name}`, new Attributes(), near.scope);
  if (near.scope?.get(prefix) !== uri) element.bind(prefix, uri);
  return element;
}

/** Parses elements that are written with the customary prefixes, to be put into the document of `near`. */
export function createFragment(near: XmlElement, xml: string): readonly XmlElement[] {
  const prefixes: readonly Prefix[] = ["w", "a", "p", "r", "wp", "c"];
  const declared = prefixes.map((prefix) => `xmlns:${prefix}="${uriFor(near, prefix)}"`).join(" ");
  return childrenOf(parseXml(`<root ${declared}>${xml}</root>`, "a fragment"));
}

/** Declares a prefix on an element for text that names it, and for programs that write it. */
export function declarePrefix(element: XmlElement, prefix: string, uri: string): void {
  if (element.hasAttribute(`xmlns:${prefix}`)) return;
  element.bind(prefix, uri);
  element.setAttribute(`xmlns:${prefix}`, uri);
}

export function removeNode(element: XmlElement): void {
  element.parentNode?.removeChild(element);
}

export function insertAfter(element: XmlElement, after: XmlElement): void {
  const parent = after.parentNode;
  parent?.insertAt(parent.children.indexOf(after) + 1, element);
}

/** The element after another, unless text comes first. */
export function nextElement(element: XmlElement): XmlElement | undefined {
  const siblings = element.parentNode?.children ?? [];
  const next = siblings[siblings.indexOf(element) + 1];
  return isElement(next) ? next : undefined;
}

/** The last part of a relationship's type, which strict files share with the others: `slide`, `image`. */
export function kindOfType(type: string): string {
  return type.slice(type.lastIndexOf("/") + 1);
}

/** The type of a relationship as the document of `near` writes it. */
export function typeOfKind(near: XmlElement, kind: string): string {
  return `${uriFor(near, "r")}/${kind}`;
}

function split(tag: Tag): [Prefix, string] {
  const colon = tag.indexOf(":");
  // A tag begins with one of the prefixes, by its type.
  return [tag.slice(0, colon) as Prefix, tag.slice(colon + 1)];
}

/** Compares without making a string: this runs for every element that is read. */
function isNamed(name: string, local: string): boolean {
  const start = name.length - local.length;
  return name.endsWith(local) && (start === 0 || name[start - 1] === ":");
}

function isIn(prefix: Prefix, uri: string | undefined): boolean {
  const known: readonly string[] = namespaces[prefix];
  return uri !== undefined && known.includes(uri);
}

function uriFor(near: XmlElement, prefix: Prefix): string {
  const isStrict = near.scope?.isStrict === true;
  const known: readonly string[] = namespaces[prefix];
  return (isStrict ? known[1] : undefined) ?? namespaces[prefix][0];
}

/** The prefix that a document has for a namespace. Binds the customary one if there is none. */
function attributePrefix(element: XmlElement, customary: Prefix): string {
  const uri = uriFor(element, customary);
  if (element.scope?.get(customary) === uri) return customary;
  const known = element.scope?.prefixFor(uri, true);
  if (known !== undefined) return known;
  element.bind(customary, uri);
  return customary;
}

function attributeName(element: XmlElement | undefined, tag: Tag): string | undefined {
  if (element === undefined) return undefined;
  const [prefix, name] = split(tag);
  for (const [each] of element.attributes) {
    if (each.length > name.length && isNamed(each, name) && isIn(prefix, element.scope?.get(prefixOf(each))))
      return each;
  }
  return undefined;
}
