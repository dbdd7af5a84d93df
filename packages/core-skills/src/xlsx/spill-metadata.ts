import type { XmlElement } from "../shared/xml.ts";
import type { PartStore } from "./part-store.ts";
import { childOf, childrenOf, makeElement } from "./xml.ts";

const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheetMetadata+xml";
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const DYNAMIC = "http://schemas.microsoft.com/office/spreadsheetml/2017/dynamicarray";

/**
 * The value of `cm` for a formula that spills. Without it Excel shows an array formula of the old kind, which fills its
 * own cell only. Adds the metadata part to the workbook when it is missing.
 */
export function spillMark(parts: PartStore, workbook: string): string {
  const known = parts.relations(workbook).find(({ kind }) => kind === "sheetMetadata")?.target;
  const name = known ?? "xl/metadata.xml";
  if (known === undefined) {
    parts.put(name, makeElement("metadata", { xmlns: MAIN }), TYPE);
    parts.relate(workbook, "sheetMetadata", name);
  }
  const root = parts.change(name);
  const type = typeIndex(root);
  const property = futureIndex(root);
  const marks = section(root, "cellMetadata", ["futureMetadata"]);
  const found = childrenOf(marks, "bk").findIndex((each) => {
    const record = childOf(each, "rc");
    return record?.attributes.get("t") === String(type) && record.attributes.get("v") === String(property);
  });
  if (found !== -1) return String(found + 1);
  const record = makeElement("rc", { t: String(type), v: String(property) });
  return String(addTo(marks, makeElement("bk", {}, [record])));
}

/** The number of the metadata type of dynamic arrays, counted from 1. */
function typeIndex(root: XmlElement): number {
  const types = section(root, "metadataTypes", []);
  const found = childrenOf(types).findIndex((each) => each.attributes.get("name") === "XLDAPR");
  if (found !== -1) return found + 1;
  const flags =
    "copy pasteAll pasteValues merge splitFirst rowColShift clearFormats clearComments assign coerce cellMeta";
  const attributes = Object.fromEntries(flags.split(" ").map((flag) => [flag, "1"]));
  return addTo(
    types,
    makeElement("metadataType", { name: "XLDAPR", minSupportedVersion: "120000", ...attributes }),
  );
}

/** The number of the block that says "dynamic", counted from 0. */
function futureIndex(root: XmlElement): number {
  const known = childrenOf(root, "futureMetadata").find((each) => each.attributes.get("name") === "XLDAPR");
  if (known !== undefined) return 0;
  const property = makeElement("xda:dynamicArrayProperties", { fDynamic: "1", fCollapsed: "0" });
  const extension = makeElement("ext", { uri: "{bdbb8cdc-fa1e-496e-a857-3c3f30c029c3}" }, [property]);
  const block = makeElement("bk", {}, [makeElement("extLst", {}, [extension])]);
  root.attributes.set("xmlns:xda", DYNAMIC);
  const future = makeElement("futureMetadata", { name: "XLDAPR", count: "1" }, [block]);
  insertAfter(root, future, ["metadataTypes", "metadataStrings", "mdxMetadata", "futureMetadata"]);
  return 0;
}

function section(root: XmlElement, name: string, before: readonly string[]): XmlElement {
  const known = childOf(root, name);
  if (known !== undefined) return known;
  const element = makeElement(name, { count: "0" });
  insertAfter(root, element, before);
  return element;
}

function insertAfter(root: XmlElement, element: XmlElement, names: readonly string[]): void {
  const index = root.children.findLastIndex((node) => typeof node !== "string" && names.includes(node.name));
  root.insertAt(index + 1, element);
}

/** Adds an element to a counted list. Returns the new length. */
function addTo(list: XmlElement, element: XmlElement): number {
  list.appendChild(element);
  const { length } = childrenOf(list);
  list.attributes.set("count", String(length));
  return length;
}
