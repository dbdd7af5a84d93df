import type { XmlElement } from "../shared/xml.ts";
import { renameInFormula } from "./formula.ts";
import { definedNames } from "./formula-place.ts";
import { addName } from "./sheet-list.ts";
import { spillMark } from "./spill-metadata.ts";
import { relationId, type SheetEntry, type Workbook } from "./workbook.ts";
import { childOf, childrenOf, copyElement, isElement, makeElement, textOf, walkXml } from "./xml.ts";

export interface SheetCopy {
  /** What the copy does not have: kinds such as `drawing` or `tableParts`, and names that mean something else there. */
  readonly leftBehind: readonly string[];
}

/**
 * Copies a sheet, also into another workbook: cells with formulas and styles, widths, merged cells, validations,
 * conditional formats, links and panes. Content in separate parts (pictures, charts, tables, notes) is not copied,
 * and the result names it.
 */
export function copySheet(source: Workbook, name: string, target: Workbook, to: string): SheetCopy {
  const entry = source.find(name);
  const root = copyElement(source.sheet(name).root);
  const leftBehind = new Set(stripParts(root));
  for (const view of walkXml(root)) if (view.name === "sheetView") view.attributes.delete("tabSelected");
  // Macros know sheets by this name, and there is one sheet for it.
  childOf(root, "sheetPr")?.attributes.delete("codeName");
  if (source !== target) adoptLooks(root, source, target);
  if (source !== target) inlineStrings(root, source);
  const made = target.addSheet(to, root);
  renameSelf(root, entry.name, to);
  copyLinks(root, source, entry, target, made);
  for (const each of copyNames(source, entry, target, made)) leftBehind.add(each);
  return { leftBehind: [...leftBehind] };
}

function stripParts(root: XmlElement): readonly string[] {
  const isLinked = (node: XmlElement): boolean =>
    node.name !== "hyperlinks" && (relationId(node) !== undefined || childrenOf(node).some(isLinked));
  const linked = childrenOf(root).filter(isLinked);
  root.children = root.children.filter((node) => !isElement(node) || !linked.includes(node));
  return linked.filter(({ name }) => name !== "pageSetup").map(({ name }) => name);
}

function adoptLooks(root: XmlElement, source: Workbook, target: Workbook): void {
  const attributeOf: Readonly<Record<string, string>> = { c: "s", row: "s", col: "style" };
  for (const element of walkXml(root)) {
    const attribute = attributeOf[element.name];
    const style = attribute === undefined ? undefined : element.attributes.get(attribute);
    if (attribute !== undefined && style !== undefined) {
      element.attributes.set(attribute, String(target.styles.adopt(Number(style), source.styles)));
    }
    // Indexes into the metadata of the source mean something else in the target.
    element.attributes.delete("vm");
    if (element.attributes.has("cm")) element.attributes.set("cm", spillMark(target.parts, target.part));
    const differential = element.attributes.get("dxfId");
    if (differential === undefined) continue;
    const index = target.styles.adoptDifferential(Number(differential), source.styles);
    if (index === undefined) element.attributes.delete("dxfId");
    else element.attributes.set("dxfId", String(index));
  }
}

function inlineStrings(root: XmlElement, source: Workbook): void {
  for (const element of walkXml(root)) {
    if (element.name !== "c" || element.attributes.get("t") !== "s") continue;
    const item = source.strings[Number(textOf(childOf(element, "v")))];
    element.attributes.set("t", "inlineStr");
    element.children = item === undefined ? [] : [copyElement(item, "is")];
  }
}

/** A sheet that names itself means its copy. */
function renameSelf(root: XmlElement, from: string, to: string): void {
  for (const element of walkXml(root)) {
    if (element.name !== "f" && element.name !== "formula") continue;
    const text = textOf(element);
    if (text !== "") element.children = [renameInFormula(text, from, to)];
  }
}

function copyLinks(
  root: XmlElement,
  source: Workbook,
  from: SheetEntry,
  target: Workbook,
  to: SheetEntry,
): void {
  const relations = new Map(source.parts.relations(from.part).map((each) => [each.id, each]));
  for (const link of childrenOf(childOf(root, "hyperlinks"))) {
    const id = relationId(link);
    if (id === undefined) continue;
    const relation = relations.get(id);
    for (const [name] of [...link.attributes]) if (name.endsWith(":id")) link.attributes.delete(name);
    if (relation === undefined) continue;
    root.attributes.set("xmlns:r", "http://schemas.openxmlformats.org/officeDocument/2006/relationships");
    link.attributes.set("r:id", target.parts.relate(to.part, "hyperlink", relation.target, true));
  }
}

/** Names of the sheet itself, such as its print area; and those of the workbook when it is another one. */
function copyNames(source: Workbook, from: SheetEntry, target: Workbook, to: SheetEntry): readonly string[] {
  const [here, there] = [positionOf(source, from), positionOf(target, to)];
  return definedNames(source).flatMap((each) => {
    const local = each.attributes.get("localSheetId");
    const isOwn = local !== undefined && Number(local) === here;
    if (!isOwn && (local !== undefined || source === target)) return [];
    const text = renameInFormula(textOf(each), from.name, to.name);
    const copy = makeElement("definedName", Object.fromEntries(each.attributes), [text]);
    return addName(target, copy, isOwn ? there : undefined)
      ? []
      : [`name ${each.attributes.get("name") ?? ""}`];
  });
}

function positionOf(workbook: Workbook, { part }: SheetEntry): number {
  return workbook.sheets.findIndex((each) => each.part === part);
}
