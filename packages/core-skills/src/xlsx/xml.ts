import { type ElementBudget, parseXml, XmlElement, type XmlNode } from "../shared/xml.ts";
import { Attributes } from "../shared/xml-attributes.ts";

/**
 * Reads a part of a workbook, whose elements are known by their plain names. Some writers give all elements of the main
 * namespace a prefix; the parser removes it, and the writer adds it again.
 */
export function parsePart(text: string, where: string, budget?: ElementBudget): XmlElement {
  return parseXml(text, where, { isPrefixRemoved: true, ...(budget === undefined ? {} : { budget }) });
}

export function makeElement(
  name: string,
  attributes: Readonly<Record<string, string>> = {},
  children: readonly XmlNode[] = [],
): XmlElement {
  const element = new XmlElement(name, Attributes.of(attributes));
  element.children = children;
  return element;
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
  return element?.textContent ?? "";
}

/** The element itself and all below it, in the order of the document. */
export function* walkXml(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const node of element.children) if (isElement(node)) yield* walkXml(node);
}

/** A copy, under another name if one is given. */
export function copyElement(element: XmlElement, name = element.name): XmlElement {
  const copy = new XmlElement(name, new Attributes(element.attributes), element.scope, element.prefix);
  copy.children = element.cloneNode(true).children;
  return copy;
}
