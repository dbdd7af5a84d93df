import type { JsonObject } from "../shared/command.ts";
import { usageError } from "../shared/script-error.ts";
import { optionalString, rejectUnknown } from "./json-shape.ts";
import type { Workbook } from "./workbook.ts";
import { makeElement } from "./xml.ts";

const TEXTS = {
  title: "dc:title",
  subject: "dc:subject",
  creator: "dc:creator",
  description: "dc:description",
};

/** Writes the properties of a new document. No date is written that was not given, so that the bytes stay the same. */
export function setProperties(workbook: Workbook, properties: JsonObject): void {
  rejectUnknown(properties, [...Object.keys(TEXTS), "created"], "properties");
  const children = Object.entries(TEXTS).flatMap(([name, element]) => {
    const text = optionalString(properties[name], `properties.${name}`);
    return text === undefined ? [] : [makeElement(element, {}, [text])];
  });
  const created = optionalString(properties["created"], "properties.created");
  if (created !== undefined) {
    const date = new Date(created);
    if (Number.isNaN(date.getTime()))
      throw usageError("properties.created is a date such as 2024-01-31T00:00:00Z.");
    const text = `${date.toISOString().slice(0, 19)}Z`;
    children.push(makeElement("dcterms:created", { "xsi:type": "dcterms:W3CDTF" }, [text]));
  }
  const root = makeElement(
    "cp:coreProperties",
    {
      "xmlns:cp": "http://schemas.openxmlformats.org/package/2006/metadata/core-properties",
      "xmlns:dc": "http://purl.org/dc/elements/1.1/",
      "xmlns:dcterms": "http://purl.org/dc/terms/",
      "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
    },
    children,
  );
  const part = "docProps/core.xml";
  workbook.parts.put(part, root, "application/vnd.openxmlformats-package.core-properties+xml");
  workbook.parts.relate("", "core-properties", part);
}
