import { ScriptError } from "../shared/script-error.ts";
import type { XmlElement } from "../shared/xml.ts";
import { renameInFormula, sameSheet, sheetsOf } from "./formula.ts";
import { definedNames, mapFormulas, relatedParts } from "./formula-place.ts";
import { insertInOrder, relationId, type Workbook } from "./workbook.ts";
import { childOf, childrenOf, textOf, walkXml } from "./xml.ts";

/** Renames a sheet, and everything that speaks of it by its name. */
export function renameSheet(workbook: Workbook, from: string, to: string): void {
  const entry = workbook.find(from);
  if (!sameSheet(entry.name, to)) workbook.rejectName(to);
  workbook.edits.rewriteFormulas();
  mapFormulas(workbook, (formula) => renameInFormula(formula, entry.name, to));
  for (const { part } of workbook.sheets) renameInLinks(workbook, part, entry.name, to);
  for (const cache of relatedParts(workbook, workbook.part, "pivotCacheDefinition")) {
    const source = childOf(childOf(workbook.parts.read(cache), "cacheSource"), "worksheetSource");
    if (source === undefined || !sameSheet(source.attributes.get("sheet") ?? "", entry.name)) continue;
    workbook.parts.change(cache);
    source.attributes.set("sheet", to);
  }
  workbook.parts.change(workbook.part);
  entry.element.attributes.set("name", to);
  forgetTitles(workbook);
}

/**
 * Deletes a sheet with all that belongs to it alone. Formulas that read from it show `#REF!`, as in every program;
 * returns how many there are.
 */
export function removeSheet(workbook: Workbook, name: string): number {
  const entry = workbook.find(name);
  const { sheets } = workbook;
  if (!sheets.some((each) => each.part !== entry.part && each.state === "visible")) {
    throw new ScriptError("LAST_SHEET", `${entry.name} is the last sheet that can be seen.`, {
      hint: "A workbook has at least one. Add another one first.",
    });
  }
  workbook.edits.removeSheet(entry.part);
  const index = sheets.findIndex((each) => each.part === entry.part);
  removeNames(workbook, index, entry.name);
  let broken = 0;
  mapFormulas(workbook, (formula, home) => {
    if (home !== undefined && sameSheet(home, entry.name)) return formula;
    const changed = renameInFormula(formula, entry.name, undefined);
    if (changed !== formula) broken += 1;
    return changed;
  });
  const root = workbook.parts.change(workbook.part);
  const list = childOf(root, "sheets");
  if (list !== undefined) list.children = list.children.filter((node) => node !== entry.element);
  workbook.parts.unrelate(workbook.part, relationId(entry.element) ?? "");
  workbook.parts.sweep();
  resetViews(root);
  forgetTitles(workbook);
  return broken;
}

/** Moves a sheet to a place, counted from 1. */
export function moveSheet(workbook: Workbook, name: string, to: number): void {
  const { element } = workbook.find(name);
  const root = workbook.parts.change(workbook.part);
  const list = childOf(root, "sheets");
  if (list === undefined) return;
  const before = childrenOf(list);
  const after = before.filter((each) => each !== element);
  after.splice(to - 1, 0, element);
  list.children = after;
  for (const each of definedNames(workbook)) {
    const local = each.attributes.get("localSheetId");
    const sheet = local === undefined ? undefined : before[Number(local)];
    if (sheet !== undefined) each.attributes.set("localSheetId", String(after.indexOf(sheet)));
  }
  resetViews(root);
  forgetTitles(workbook);
}

/** Adds a name of the workbook; returns false when it means something else here already. */
export function addName(workbook: Workbook, name: XmlElement, localSheetId: number | undefined): boolean {
  const local = localSheetId === undefined ? undefined : String(localSheetId);
  const isSame = (each: XmlElement) =>
    each.attributes.get("name")?.toLowerCase() === name.attributes.get("name")?.toLowerCase() &&
    each.attributes.get("localSheetId") === local;
  const known = definedNames(workbook).find(isSame);
  if (known !== undefined) return textOf(known) === textOf(name);
  if (local === undefined) name.attributes.delete("localSheetId");
  else name.attributes.set("localSheetId", local);
  insertInOrder(workbook.parts.change(workbook.part), "definedNames").appendChild(name);
  return true;
}

/** The list of titles in the properties is a copy of what the workbook says; without it, programs make it anew. */
export function forgetTitles(workbook: Workbook): void {
  const name = "docProps/app.xml";
  if (!workbook.parts.has(name)) return;
  const root = workbook.parts.change(name);
  root.children = childrenOf(root).filter((each) => !["TitlesOfParts", "HeadingPairs"].includes(each.name));
}

/** Names of the sheet itself go, and those of sheets after it are counted anew. */
function removeNames(workbook: Workbook, index: number, sheet: string): void {
  const list = childOf(workbook.root, "definedNames");
  if (list === undefined) return;
  workbook.parts.change(workbook.part);
  list.children = childrenOf(list).filter((name) => {
    const local = name.attributes.get("localSheetId");
    const position = local === undefined ? -1 : Number(local);
    if (position > index) name.attributes.set("localSheetId", String(position - 1));
    const sheets = sheetsOf(textOf(name));
    return position !== index && !(sheets.size === 1 && [...sheets].some((each) => sameSheet(each, sheet)));
  });
  if (list.children.length > 0) return;
  workbook.root.children = workbook.root.children.filter((node) => node !== list);
}

/** Links inside the workbook name a place by its sheet. */
function renameInLinks(workbook: Workbook, part: string, from: string, to: string): void {
  const root = workbook.parts.read(part);
  for (const list of childrenOf(root, "hyperlinks")) {
    for (const link of walkXml(list)) {
      const before = link.attributes.get("location");
      const after = before === undefined ? undefined : renameInFormula(before, from, to);
      if (after === undefined || after === before) continue;
      workbook.parts.change(part);
      link.attributes.set("location", after);
    }
  }
}

function resetViews(root: XmlElement): void {
  for (const view of childrenOf(childOf(root, "bookViews"))) {
    view.attributes.delete("activeTab");
    view.attributes.delete("firstSheet");
  }
}
