import type { InputFile } from "./input-file.ts";
import { type OfficeParts, readOfficeZip } from "./office-zip.ts";
import { scanXml } from "./xml.ts";

/** Numbers about a document that two versions of it can be compared by. */
export interface OfficeSummary {
  readonly parts: OfficeParts;
  /** How often each watched element occurs, over all parts. */
  readonly elements: ReadonlyMap<string, number>;
  /** How often each text of a paragraph occurs, over all parts. */
  readonly paragraphs: ReadonlyMap<string, number>;
  /** Parts that are not well-formed XML. */
  readonly broken: ReadonlySet<string>;
}

/** Elements that stand for content: tables, pictures, fields, notes, comments, links, equations, shapes. */
const WATCHED: ReadonlySet<string> = new Set([
  ..."tbl tr tc drawing pict object fldChar fldSimple instrText footnoteReference endnoteReference".split(
    " ",
  ),
  ..."commentReference comment cm hyperlink hlinkClick bookmarkStart sdt sectPr ins del oMath".split(" "),
  ..."sp pic graphicFrame cxnSp blip sldId timing dir bdo".split(" "),
]);

/** Reads the parts without building trees, so that large documents fit into memory beside the one that was edited. */
export function summarizeOffice(file: InputFile): OfficeSummary {
  const parts = readOfficeZip(file);
  const summary = { elements: new Map<string, number>(), paragraphs: new Map<string, number>() };
  const broken = new Set<string>();
  for (const [name, bytes] of parts) {
    if (!/\.xml$/i.test(name) || /^(docProps\/|\[Content_Types\]|customXml\/)/i.test(name)) continue;
    if (!addPart(decode(bytes), summary)) broken.add(name);
  }
  return { parts, ...summary, broken };
}

function decode(bytes: Uint8Array): string {
  const isLittle = bytes[0] === 0xff && bytes[1] === 0xfe;
  const isBig = bytes[0] === 0xfe && bytes[1] === 0xff;
  return new TextDecoder(isLittle ? "utf-16le" : isBig ? "utf-16be" : "utf-8").decode(bytes);
}

interface Counts {
  readonly elements: Map<string, number>;
  readonly paragraphs: Map<string, number>;
}

/** Returns false when the text is not well-formed. */
function addPart(text: string, { elements, paragraphs }: Counts): boolean {
  const open: string[] = [];
  let isText = false;
  const increment = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
  const openTag = (name: string) => {
    const local = localName(name);
    if (local === "p") open.push("");
    isText = local === "t" || local === "delText";
    if (WATCHED.has(local)) increment(elements, local);
  };
  const addText = (piece: string) => {
    if (isText && open.length > 0) open[open.length - 1] += piece;
  };
  const closeTag = (name: string) => {
    const local = localName(name);
    isText = false;
    if (local !== "p") return;
    const paragraph = open.pop()?.trim() ?? "";
    if (paragraph !== "") increment(paragraphs, paragraph);
  };
  try {
    scanXml(text, "the part", { open: openTag, text: addText, close: closeTag });
    return true;
  } catch {
    return false;
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
