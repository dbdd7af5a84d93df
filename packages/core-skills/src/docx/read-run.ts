import type { Inline } from "../shared/block.ts";
import { attributeOf, childOf, childrenOf, descend, descendantsOf, hasTag } from "../shared/office-xml.ts";
import type { XmlElement } from "../shared/xml.ts";
import type { WordFile } from "./word-file.ts";

/** What the runs of a paragraph hold, in order. */
export type Piece =
  | { readonly type: "text"; readonly inline: Inline }
  | { readonly type: "image"; readonly path: string; readonly alt: string }
  | { readonly type: "pageBreak" }
  /** A text box: its paragraphs stand beside the one that holds it. */
  | { readonly type: "box"; readonly content: XmlElement };

/** Reads a paragraph as it would be after all tracked changes were accepted. */
export function readPieces(paragraph: XmlElement, file: WordFile, part: string): readonly Piece[] {
  return readContent(paragraph, { file, part, href: undefined });
}

interface Place {
  readonly file: WordFile;
  readonly part: string;
  readonly href: string | undefined;
}

function readContent(parent: XmlElement, place: Place): readonly Piece[] {
  return childrenOf(parent).flatMap((child): readonly Piece[] => {
    if (hasTag(child, "w:r")) return readRun(child, place);
    if (hasTag(child, "w:hyperlink")) return readContent(child, { ...place, href: hrefOf(child, place) });
    if (hasTag(child, "w:sdt")) {
      const content = childOf(child, "w:sdtContent");
      return content === undefined ? [] : readContent(content, place);
    }
    const isWrapper = [
      "w:ins",
      "w:moveTo",
      "w:smartTag",
      "w:fldSimple",
      "w:customXml",
      "w:dir",
      "w:bdo",
    ] as const;
    return isWrapper.some((tag) => hasTag(child, tag)) ? readContent(child, place) : [];
  });
}

function hrefOf(link: XmlElement, { file, part }: Place): string | undefined {
  const relation = file.pkg.relation(part, attributeOf(link, "r:id"));
  const anchor = attributeOf(link, "w:anchor");
  if (relation?.isExternal === true) return relation.target;
  return anchor === undefined ? undefined : `#${anchor}`;
}

function readRun(run: XmlElement, place: Place): readonly Piece[] {
  const style = readStyle(childOf(run, "w:rPr"));
  const text = (value: string): Piece => ({
    type: "text",
    inline: { ...style, text: value, ...(place.href === undefined ? {} : { href: place.href }) },
  });
  return childrenOf(run).flatMap((child): readonly Piece[] => {
    const mark = markOf(child);
    if (mark !== undefined) return mark === "" ? [] : [text(mark)];
    if (hasTag(child, "w:br")) {
      return attributeOf(child, "w:type") === "page" ? [{ type: "pageBreak" }] : [text("\n")];
    }
    if (hasTag(child, "mc:AlternateContent")) {
      const choice = childOf(child, "mc:Choice") ?? childOf(child, "mc:Fallback");
      return choice === undefined ? [] : readDrawing(choice, place);
    }
    const isDrawing = hasTag(child, "w:drawing") || hasTag(child, "w:pict") || hasTag(child, "w:object");
    return isDrawing ? readDrawing(child, place) : [];
  });
}

/** The text that an element stands for; undefined when it has no text. */
function markOf(element: XmlElement): string | undefined {
  if (hasTag(element, "w:t")) return element.textContent;
  if (hasTag(element, "w:tab") || hasTag(element, "w:ptab")) return "\t";
  if (hasTag(element, "w:cr")) return "\n";
  if (hasTag(element, "w:noBreakHyphen")) return "\u2011";
  if (hasTag(element, "w:softHyphen")) return "";
  if (hasTag(element, "w:footnoteReference")) return `[^${attributeOf(element, "w:id") ?? ""}]`;
  if (hasTag(element, "w:endnoteReference")) return `[^e${attributeOf(element, "w:id") ?? ""}]`;
  if (hasTag(element, "w:sym")) return symbolOf(attributeOf(element, "w:char"));
  return undefined;
}

/** Symbol fonts have their letters in an area for private use: only others are characters. */
function symbolOf(code: string | undefined): string {
  const point = Number.parseInt(code ?? "", 16);
  const isCharacter = point >= 0x20 && point < 0xd800;
  return isCharacter ? String.fromCodePoint(point) : "\u25A1";
}

function readDrawing(drawing: XmlElement, { file, part }: Place): readonly Piece[] {
  const alt = descendantsOf(drawing, "wp:docPr")[0]?.getAttribute("descr") ?? "";
  const images = descendantsOf(drawing, "a:blip").flatMap((blip): readonly Piece[] => {
    const relation = file.pkg.relation(part, attributeOf(blip, "r:embed"));
    return relation === undefined || relation.isExternal
      ? []
      : [{ type: "image", path: relation.target, alt }];
  });
  const boxes = descendantsOf(drawing, "w:txbxContent").map((content): Piece => ({ type: "box", content }));
  return [...images, ...boxes];
}

function readStyle(properties: XmlElement | undefined): Omit<Inline, "text"> {
  if (properties === undefined) return {};
  const font = attributeOf(descend(properties, "w:rFonts"), "w:ascii") ?? "";
  const character = attributeOf(descend(properties, "w:rStyle"), "w:val") ?? "";
  const isCode = /courier|consolas|mono|menlo/i.test(font) || /code|verbatim/i.test(character);
  return {
    ...(isOn(childOf(properties, "w:b")) ? { bold: true } : {}),
    ...(isOn(childOf(properties, "w:i")) ? { italic: true } : {}),
    ...(isOn(childOf(properties, "w:strike")) ? { strike: true } : {}),
    ...(isCode ? { code: true } : {}),
  };
}

function isOn(toggle: XmlElement | undefined): boolean {
  return toggle !== undefined && !["0", "false", "off"].includes(attributeOf(toggle, "w:val") ?? "1");
}
