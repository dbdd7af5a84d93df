import { attributeOf, childrenOf } from "../shared/office-xml.ts";
import type { XmlElement } from "../shared/xml.ts";
import type { Deck } from "./deck.ts";
import { type Line, paragraphText } from "./slide-text.ts";

const MAX_DEPTH = 20;

/** The text of a SmartArt diagram, as a list with levels. */
export function readDiagram(deck: Deck, part: string, frame: XmlElement): readonly Line[] {
  const reference = findNamed(frame, "relIds");
  const relation = deck.pkg.relation(part, attributeOf(reference, "r:dm"));
  if (relation === undefined || relation.isExternal || !deck.pkg.has(relation.target)) return [];
  const root = deck.pkg.xml(relation.target);
  const points = new Map(
    childrenNamed(findNamed(root, "ptLst"), "pt").map((each) => [each.getAttribute("modelId"), each]),
  );
  const children = childIds(root);
  const lines: Line[] = [];
  const seen = new Set<string>();
  const visit = (id: string, level: number): void => {
    const point = points.get(id);
    if (point === undefined || seen.has(id) || level > MAX_DEPTH) return;
    seen.add(id);
    const isRoot = point.getAttribute("type") === "doc";
    if (!isRoot) lines.push(...pointLines(point, level));
    for (const child of children.get(id) ?? []) visit(child, isRoot ? level : level + 1);
  };
  for (const [id, point] of points) if (point.getAttribute("type") === "doc") visit(id, 0);
  // Points that no connection leads to still show their text.
  for (const [id, point] of points) if (isShown(point)) visit(id, 0);
  return lines;
}

/** Points for the layout and for transitions hold no text of their own. */
function isShown(point: XmlElement): boolean {
  return !["pres", "parTrans", "sibTrans"].includes(point.getAttribute("type"));
}

function pointLines(point: XmlElement, level: number): readonly Line[] {
  const body = childrenNamed(point, "t")[0];
  if (body === undefined || !isShown(point)) return [];
  return childrenOf(body, "a:p")
    .map((paragraph) => ({ level, text: paragraphText(paragraph).trim() }))
    .filter(({ text }) => text !== "");
}

/** The points below each point, in their order. */
function childIds(root: XmlElement): ReadonlyMap<string, readonly string[]> {
  const links = childrenNamed(findNamed(root, "cxnLst"), "cxn")
    .filter((each) => ["", "parOf"].includes(each.getAttribute("type")))
    .toSorted((a, b) => Number(a.getAttribute("srcOrd")) - Number(b.getAttribute("srcOrd")));
  const children = new Map<string, string[]>();
  for (const link of links) {
    const source = link.getAttribute("srcId");
    children.set(source, [...(children.get(source) ?? []), link.getAttribute("destId")]);
  }
  return children;
}

function childrenNamed(parent: XmlElement | undefined, name: string): readonly XmlElement[] {
  return parent === undefined ? [] : childrenOf(parent).filter(({ localName }) => localName === name);
}

function findNamed(parent: XmlElement, name: string): XmlElement | undefined {
  for (const node of childrenOf(parent)) {
    const found = node.localName === name ? node : findNamed(node, name);
    if (found !== undefined) return found;
  }
  return undefined;
}
