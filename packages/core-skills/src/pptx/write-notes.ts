import { copyPart } from "../shared/copy-part.ts";
import {
  childOf,
  childrenOf,
  createElement,
  createFragment,
  descend,
  insertAfter,
  removeNode,
  setAttributeOf,
  typeOfKind,
} from "../shared/office-xml.ts";
import { escapeXml, XML_HEAD } from "../shared/xml.ts";
import { makeBlankDeck } from "./blank-deck.ts";
import { treeXml } from "./blank-master.ts";
import type { Deck } from "./deck.ts";
import { placeholderType, shapesOf } from "./read-slide.ts";

const CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.presentationml.notesSlide+xml";

/** Sets what the speaker sees below a slide. An empty text takes it away. */
export function writeNotes(deck: Deck, slide: string, text: string): void {
  const part = deck.related(slide, "notesSlide") ?? (text === "" ? undefined : createNotes(deck, slide));
  if (part === undefined) return;
  const root = deck.pkg.edit(part);
  const shapes = shapesOf(descend(root, "p:cSld", "p:spTree"));
  const body = childOf(
    shapes.find((shape) => placeholderType(shape) === "body"),
    "p:txBody",
  );
  if (body === undefined) return;
  for (const paragraph of childrenOf(body, "a:p")) removeNode(paragraph);
  const lines = text
    .split("\n")
    .map((line) =>
      line === "" ? "<a:p/>" : `<a:p><a:r><a:rPr lang="en-US"/><a:t>${escapeXml(line)}</a:t></a:r></a:p>`,
    );
  for (const paragraph of createFragment(body, lines.join(""))) body.appendChild(paragraph);
}

function createNotes(deck: Deck, slide: string): string {
  const { pkg, root } = deck;
  const master = notesMaster(deck);
  const name = pkg.freeName("ppt/notesSlides/notesSlide", "xml");
  const holder = (id: number, label: string, type: string, locks: string, body: string) =>
    `<p:sp><p:nvSpPr><p:cNvPr id="${id}" name="${label}"/><p:cNvSpPr><a:spLocks noGrp="1"${locks}/></p:cNvSpPr><p:nvPr><p:ph ${type}/></p:nvPr></p:nvSpPr><p:spPr/>${body}</p:sp>`;
  const shapes =
    holder(2, "Slide Image", 'type="sldImg"', ' noRot="1" noChangeAspect="1"', "") +
    holder(3, "Notes", 'type="body" idx="1"', "", "<p:txBody><a:bodyPr/><a:lstStyle/><a:p/></p:txBody>");
  const spaces = [
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"',
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"',
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"',
  ].join(" ");
  const xml = `${XML_HEAD}<p:notes ${spaces}><p:cSld>${treeXml(shapes)}</p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:notes>`;
  pkg.set(name, xml, CONTENT_TYPE);
  pkg.relate(name, typeOfKind(root, "notesMaster"), master);
  pkg.relate(name, typeOfKind(root, "slide"), slide);
  pkg.relate(slide, typeOfKind(root, "notesSlide"), name);
  return name;
}

/** Returns the notes master, and adds one to a deck that never had notes. */
export function notesMaster(deck: Deck, source: Deck = makeBlankDeck()): string {
  const existing = deck.related(deck.main, "notesMaster");
  if (existing !== undefined) return existing;
  const original = source.related(source.main, "notesMaster") ?? "";
  const master = copyPart(original, source.pkg, deck.pkg);
  const root = deck.editRoot();
  const list = createElement(root, "p:notesMasterIdLst");
  const entry = list.appendChild(createElement(root, "p:notesMasterId"));
  setAttributeOf(entry, "r:id", deck.pkg.relate(deck.main, typeOfKind(root, "notesMaster"), master));
  const masters = childOf(root, "p:sldMasterIdLst");
  if (masters === undefined) root.insertAt(0, list);
  else insertAfter(list, masters);
  return master;
}
