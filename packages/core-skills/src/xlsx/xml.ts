import { Attributes } from "./attributes.ts";

/**
 * XML as a tree that can be changed and written back. Comments and processing instructions are left out; all else
 * stays, in its order.
 *
 * A tree of its own because sheets are large: the general DOM of `shared/xml.ts` takes several times the time and room
 * for 200,000 cells, which is more than a run has.
 */
export interface XmlElement {
  readonly name: string;
  /** Root only: the prefix in the file, such as `x:`, of all names that have no prefix here. */
  readonly prefix?: string;
  readonly attributes: Attributes;
  children: XmlNode[];
}

export type XmlNode = XmlElement | string;

export function makeElement(
  name: string,
  attributes: Readonly<Record<string, string>> = {},
  children: readonly XmlNode[] = [],
): XmlElement {
  return { name, attributes: Attributes.of(attributes), children: [...children] };
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
    ...element,
    attributes: new Attributes(element.attributes),
    children: element.children.map((node) => (isElement(node) ? copyElement(node) : node)),
  };
}
