import {
  ancestorOf,
  attributeOf,
  childOf,
  childrenOf,
  createElement,
  descendantsOf,
  insertAfter,
  removeNode,
  setAttributeOf,
  typeOfKind,
} from "../shared/office-xml.ts";
import { inputError } from "../shared/script-error.ts";
import type { XmlElement } from "../shared/xml.ts";
import type { Deck, Slide } from "./deck.ts";

const SECTIONS = "http://schemas.microsoft.com/office/powerpoint/2010/main";
/** Slides have ids from here on. */
const FIRST_SLIDE_ID = 256;

/** Puts a part into the list of slides, before the slide of that number; at the end without one. */
export function listSlide(deck: Deck, part: string, before: number | undefined): void {
  const root = deck.editRoot();
  const list = childOf(root, "p:sldIdLst") ?? createList(root);
  const existing = childrenOf(list, "p:sldId");
  const ids = existing.map((each) => Number(each.getAttribute("id")) || 0);
  const element = createElement(list, "p:sldId");
  const id = String(ids.reduce((most, each) => Math.max(most, each), FIRST_SLIDE_ID - 1) + 1);
  element.setAttribute("id", id);
  setAttributeOf(element, "r:id", deck.pkg.relate(deck.main, typeOfKind(root, "slide"), part));
  const next = before === undefined ? undefined : existing[before - 1];
  const previous = next === undefined ? existing.at(-1) : existing[existing.indexOf(next) - 1];
  list.insertBefore(element, next);
  addToSection(root, id, previous?.getAttribute("id"), next?.getAttribute("id"));
}

/** Takes slides out of the deck, with all that only they had. */
export function removeSlides(deck: Deck, slides: readonly Slide[]): void {
  const root = deck.editRoot();
  const gone = new Set(slides.map(({ part }) => part));
  const ids = new Set(slides.map(({ id }) => id));
  const relations = new Set(slides.map(({ relation }) => relation));
  for (const element of descendantsOf(root, "p:sldId"))
    if (ids.has(element.getAttribute("id"))) removeNode(element);
  for (const element of sectionEntries(root)) if (ids.has(element.getAttribute("id"))) removeNode(element);
  // A show of one's own that is left without a slide would be damaged.
  for (const element of descendantsOf(root, "p:sld")) {
    if (!relations.has(attributeOf(element, "r:id") ?? "")) continue;
    const show = ancestorOf(element, "p:custShow");
    removeNode(element);
    if (show !== undefined && descendantsOf(show, "p:sld").length === 0) removeNode(show);
  }
  for (const relation of relations) deck.pkg.unrelate(deck.main, relation);
  for (const { part } of deck.slides) unlink(deck, part, gone);
  sweep(deck);
}

/** Puts the slides into a new order. Sections go, because they would no longer be what they were. */
export function orderSlides(deck: Deck, order: readonly Slide[]): { readonly sectionsRemoved: boolean } {
  const root = deck.editRoot();
  const list = childOf(root, "p:sldIdLst");
  if (list === undefined) return { sectionsRemoved: false };
  const elements = new Map(childrenOf(list, "p:sldId").map((each) => [attributeOf(each, "r:id"), each]));
  for (const { relation } of order) {
    const element = elements.get(relation);
    if (element !== undefined) list.appendChild(element);
  }
  const sections = sectionLists(root);
  for (const element of sections) removeExtension(element);
  return { sectionsRemoved: sections.length > 0 };
}

/** Rejects files in the rare strict variant of the format, because new content would need that variant as well. */
export function requireUsual(deck: Deck): void {
  if (deck.root.namespaceURI?.startsWith("http://purl.oclc.org/") !== true) return;
  throw inputError(
    "STRICT_FORMAT",
    `${deck.pkg.file.path} is saved as "Strict Open XML".`,
    "Save it as an ordinary PowerPoint presentation first.",
  );
}

/** The schema has the lists of masters before that of the slides. */
function createList(root: XmlElement): XmlElement {
  const list = createElement(root, "p:sldIdLst");
  const before = [...childrenOf(root)].find(
    ({ localName }) =>
      !["sldMasterIdLst", "notesMasterIdLst", "handoutMasterIdLst"].includes(localName ?? ""),
  );
  return root.insertBefore(list, before);
}

function addToSection(
  root: XmlElement,
  id: string,
  previous: string | undefined,
  next: string | undefined,
): void {
  const entries = sectionEntries(root);
  const neighbour = entries.find((each) => each.getAttribute("id") === (previous ?? next));
  if (neighbour === undefined) return;
  const entry = neighbour.cloneNode(false);
  entry.setAttribute("id", id);
  if (previous !== undefined) insertAfter(entry, neighbour);
  else neighbour.parentNode?.insertBefore(entry, neighbour);
}

function sectionEntries(root: XmlElement): readonly XmlElement[] {
  return elementsIn(root, SECTIONS, "sldId");
}

function sectionLists(root: XmlElement): readonly XmlElement[] {
  return elementsIn(root, SECTIONS, "sectionLst");
}

function elementsIn(parent: XmlElement, uri: string, name: string): readonly XmlElement[] {
  return childrenOf(parent).flatMap((child) => [
    ...(child.namespaceURI === uri && child.localName === name ? [child] : []),
    ...elementsIn(child, uri, name),
  ]);
}

/** An extension is empty without its one element. */
function removeExtension(element: XmlElement): void {
  const extension = element.parentNode;
  const list = extension?.parentNode;
  removeNode(element);
  if (extension != null && childrenOf(extension).length === 0) removeNode(extension);
  if (list != null && list.localName === "extLst" && childrenOf(list).length === 0) removeNode(list);
}

/** Links to slides that are gone would make the file damaged. */
function unlink(deck: Deck, part: string, gone: ReadonlySet<string>): void {
  const broken = deck.pkg.related(part, "slide").filter(({ target }) => gone.has(target));
  if (broken.length === 0) return;
  const ids = new Set(broken.map(({ id }) => id));
  const root = deck.pkg.edit(part);
  for (const tag of ["a:hlinkClick", "a:hlinkHover", "a:hlinkMouseOver"] as const) {
    for (const link of descendantsOf(root, tag))
      if (ids.has(attributeOf(link, "r:id") ?? "")) removeNode(link);
  }
  for (const id of ids) deck.pkg.unrelate(part, id);
}

/** Removes the parts that no other part links to. */
function sweep({ pkg }: Deck): void {
  const reached = new Set<string>();
  const visit = (part: string): void => {
    for (const { target, isExternal } of pkg.relations(part)) {
      if (isExternal || reached.has(target)) continue;
      reached.add(target);
      visit(target);
    }
  };
  visit("");
  const parts = pkg.names.filter((name) => name !== "[Content_Types].xml" && !name.endsWith(".rels"));
  for (const name of parts) if (!reached.has(name)) pkg.remove(name);
}
