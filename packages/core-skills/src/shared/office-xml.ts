import { parseXml, type XmlElement, type XmlNode } from "./xml.ts";

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
  return node?.nodeType === 1;
}

export function hasTag(node: XmlNode | null | undefined, tag: Tag): boolean {
  const [prefix, name] = split(tag);
  return node?.nodeType === 1 && node.localName === name && isIn(prefix, node.namespaceURI);
}

/** The child elements, or those of one name. */
export function childrenOf(parent: XmlNode, tag?: Tag): readonly XmlElement[] {
  const found: XmlElement[] = [];
  for (let node = parent.firstChild; node !== null; node = node.nextSibling) {
    if (isElement(node) && (tag === undefined || hasTag(node, tag))) found.push(node);
  }
  return found;
}

export function childOf(parent: XmlNode | undefined, tag: Tag): XmlElement | undefined {
  for (let node = parent?.firstChild ?? null; node !== null; node = node.nextSibling) {
    if (isElement(node) && hasTag(node, tag)) return node;
  }
  return undefined;
}

/** Follows a path of children: `w:pPr`, `w:pStyle`. */
export function descend(parent: XmlNode | undefined, ...tags: readonly Tag[]): XmlElement | undefined {
  let node = parent;
  for (const tag of tags) node = childOf(node, tag);
  return isElement(node) ? node : undefined;
}

/** Every element of that name below, in the order of the document. The list is made first: edits do not disturb it. */
export function descendantsOf(parent: XmlNode, tag: Tag): readonly XmlElement[] {
  const found: XmlElement[] = [];
  const visit = (node: XmlNode): void => {
    for (let child = node.firstChild; child !== null; child = child.nextSibling) {
      if (isElement(child) && hasTag(child, tag)) found.push(child);
      visit(child);
    }
  };
  visit(parent);
  return found;
}

/** The nearest element of that name above. */
export function ancestorOf(node: XmlNode, tag: Tag): XmlElement | undefined {
  for (let parent = node.parentNode; parent !== null; parent = parent.parentNode) {
    if (isElement(parent) && hasTag(parent, tag)) return parent;
  }
  return undefined;
}

/** An attribute with a namespace: `w:val`, `r:id`. */
export function attributeOf(element: XmlElement | undefined, tag: Tag): string | undefined {
  return findAttribute(element, tag)?.value;
}

export function setAttributeOf(element: XmlElement, tag: Tag, value: string): void {
  const existing = findAttribute(element, tag);
  // Without its namespace an attribute would be written the same, but no longer be found.
  const uri = existing?.namespaceURI ?? uriFor(element, split(tag)[0]);
  element.setAttributeNS(uri, existing?.name ?? tag, value);
}

/** A plain attribute; undefined when it is not there. */
export function plainAttribute(element: XmlElement | undefined, name: string): string | undefined {
  return element?.hasAttribute(name) === true ? element.getAttribute(name) : undefined;
}

export function createElement(near: XmlNode, tag: Tag): XmlElement {
  return near.ownerDocument.createElementNS(uriFor(near, split(tag)[0]), tag);
}

/** Parses elements that are written with the customary prefixes, to be put into the document of `near`. */
export function createFragment(near: XmlNode, xml: string): readonly XmlElement[] {
  const prefixes: readonly Prefix[] = ["w", "a", "p", "r", "wp", "c"];
  const declared = prefixes.map((prefix) => `xmlns:${prefix}="${uriFor(near, prefix)}"`).join(" ");
  const root = parseXml(`<root ${declared}>${xml}</root>`, "a fragment").documentElement;
  return childrenOf(root).map((element) => near.ownerDocument.importNode(element, true));
}

export function removeNode(node: XmlNode): void {
  node.parentNode?.removeChild(node);
}

export function insertAfter(node: XmlNode, after: XmlNode): void {
  after.parentNode?.insertBefore(node, after.nextSibling);
}

/** The last part of a relationship's type, which strict files share with the others: `slide`, `image`. */
export function kindOfType(type: string): string {
  return type.slice(type.lastIndexOf("/") + 1);
}

/** The type of a relationship as the document of `near` writes it. */
export function typeOfKind(near: XmlNode, kind: string): string {
  return `${uriFor(near, "r")}/${kind}`;
}

function split(tag: Tag): [Prefix, string] {
  const colon = tag.indexOf(":");
  // A tag begins with one of the prefixes, by its type.
  return [tag.slice(0, colon) as Prefix, tag.slice(colon + 1)];
}

function isIn(prefix: Prefix, uri: string | null): boolean {
  const known: readonly string[] = namespaces[prefix];
  return uri !== null && known.includes(uri);
}

function uriFor(near: XmlNode, prefix: Prefix): string {
  const isStrict = near.ownerDocument.documentElement.namespaceURI?.startsWith(STRICT) === true;
  const known: readonly string[] = namespaces[prefix];
  return (isStrict ? known[1] : undefined) ?? namespaces[prefix][0];
}

const STRICT = "http://purl.oclc.org/ooxml/";

function findAttribute(element: XmlElement | undefined, tag: Tag) {
  if (element === undefined) return undefined;
  const [prefix, name] = split(tag);
  for (let index = 0; index < element.attributes.length; index += 1) {
    const attribute = element.attributes.item(index);
    if (attribute.localName === name && isIn(prefix, attribute.namespaceURI)) return attribute;
  }
  return undefined;
}
