import type { JsonObject, OptionTable } from "./command.ts";
import type { OfficePackage } from "./office-package.ts";
import { childOf, createElement, setAttributeOf, type Tag } from "./office-xml.ts";
import { usageError } from "./script-error.ts";
import { XML_HEAD } from "./xml.ts";

/** The properties of a document that people see, and the elements that hold them. */
const elements = {
  title: "dc:title",
  subject: "dc:subject",
  author: "dc:creator",
  keywords: "cp:keywords",
  description: "dc:description",
  category: "cp:category",
  lastModifiedBy: "cp:lastModifiedBy",
  created: "dcterms:created",
  modified: "dcterms:modified",
} as const satisfies Record<string, Tag>;

export type PropertyName = keyof typeof elements;
export type Properties = { readonly [Name in PropertyName]?: string | undefined };

/** One option a property. */
export const propertyOptions = {
  title: { type: "string", help: "The title" },
  subject: { type: "string", help: "The subject" },
  author: { type: "string", help: "The author" },
  keywords: { type: "string", help: "Keywords, as one text" },
  description: { type: "string", help: "The description (comments)" },
  category: { type: "string", help: "The category" },
  created: { type: "string", value: "date", help: "When it was made: 2026-05-01 or 2026-05-01T12:00:00Z" },
  modified: { type: "string", value: "date", help: "When it was last changed" },
} as const satisfies OptionTable;

export function readProperties(pkg: OfficePackage): JsonObject {
  const part = partOf(pkg);
  if (part === undefined) return {};
  const root = pkg.xml(part);
  const found = Object.entries(elements).flatMap(([name, tag]) => {
    const text = childOf(root, tag)?.textContent.trim() ?? "";
    return text === "" ? [] : [[name, text.slice(0, MAX_LENGTH)] as const];
  });
  return Object.fromEntries(found);
}

const MAX_LENGTH = 1000;

/** Sets the properties that are given; an empty text takes one away. */
export function writeProperties(pkg: OfficePackage, properties: Properties): readonly PropertyName[] {
  const root = pkg.edit(partOf(pkg) ?? createPart(pkg));
  const names = propertyNames.filter((name) => properties[name] !== undefined);
  for (const name of names) {
    const tag = elements[name];
    const existing = childOf(root, tag);
    const text = readValue(name, properties[name] ?? "");
    if (existing !== undefined) root.removeChild(existing);
    if (text === "") continue;
    const element = root.appendChild(createElement(root, tag));
    if (tag.startsWith("dcterms:")) setAttributeOf(element, "xsi:type", "dcterms:W3CDTF");
    element.textContent = text;
  }
  return names;
}

/** Removes the properties that a new document must not take over from its template. */
export function clearProperties(pkg: OfficePackage): void {
  writeProperties(pkg, Object.fromEntries(propertyNames.map((name) => [name, ""])));
}

// The keys of a literal are its property names.
const propertyNames = Object.keys(elements) as readonly PropertyName[];

function readValue(name: PropertyName, value: string): string {
  if (name !== "created" && name !== "modified") return value;
  if (value === "") return value;
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) throw usageError(`--${name} is not a date: ${value.slice(0, 40)}`);
  return `${date.toISOString().slice(0, 19)}Z`;
}

function partOf(pkg: OfficePackage): string | undefined {
  return pkg.related("", "core-properties").find(({ target }) => pkg.has(target))?.target;
}

function createPart(pkg: OfficePackage): string {
  const name = "docProps/core.xml";
  const spaces = [
    'xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"',
    'xmlns:dc="http://purl.org/dc/elements/1.1/"',
    'xmlns:dcterms="http://purl.org/dc/terms/"',
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
  ].join(" ");
  pkg.set(name, `${XML_HEAD}<cp:coreProperties ${spaces}/>`, `${PACKAGE_TYPE}.core-properties+xml`);
  pkg.relate("", CORE_RELATION, name);
  return name;
}

const PACKAGE_TYPE = "application/vnd.openxmlformats-package";
const CORE_RELATION = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties";
