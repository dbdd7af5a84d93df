import type { JsonObject } from "../shared/command.ts";
import { attributeOf, childOf, childrenOf, descend, descendantsOf, hasTag } from "../shared/office-xml.ts";
import type { XmlElement } from "../shared/xml.ts";
import type { Deck, Slide } from "./deck.ts";
import { type ChartContent, readChart } from "./read-chart.ts";
import { readDiagram } from "./read-diagram.ts";
import { commentsOf, type SlideComment } from "./slide-comment.ts";
import { type Line, paragraphText } from "./slide-text.ts";

/** The content of a slide, without its design. */
export interface SlideContent {
  readonly number: number;
  readonly title: string;
  readonly layout: string;
  readonly isHidden: boolean;
  readonly lines: readonly Line[];
  readonly tables: readonly (readonly (readonly string[])[])[];
  readonly images: readonly { readonly name: string; readonly alt: string }[];
  readonly charts: readonly ChartContent[];
  readonly footer: string;
  readonly comments: readonly SlideComment[];
  readonly notes: string;
}

export function readSlide(deck: Deck, slide: Slide): SlideContent {
  const root = deck.pkg.xml(slide.part);
  const shapes = shapesOf(descend(root, "p:cSld", "p:spTree"));
  const titleShape = shapes.find(isTitle);
  const layout = deck.related(slide.part, "slideLayout");
  const frames = shapes.filter((shape) => hasTag(shape, "p:graphicFrame"));
  return {
    number: slide.number,
    title: linesOf(titleShape)
      .map(({ text }) => text)
      .join(" ")
      .trim(),
    layout: layout === undefined ? "" : deck.layout(layout).name,
    isHidden: root.getAttribute("show") === "0",
    lines: shapes
      .filter((shape) => shape !== titleShape && !isMargin(shape))
      .flatMap((shape) => [...linesOf(shape), ...readDiagram(deck, slide.part, shape)]),
    tables: frames.flatMap((frame) => descendantsOf(frame, "a:tbl")).map(readTable),
    images: shapes.flatMap((shape) => readImage(deck, slide.part, shape)),
    charts: frames.flatMap((frame) => readChart(deck, slide.part, frame)),
    footer: shapes
      .filter((shape) => placeholderType(shape) === "ftr")
      .flatMap(linesOf)
      .map(({ text }) => text)
      .join(" "),
    comments: commentsOf(deck, slide.part),
    notes: readNotes(deck, slide.part),
  };
}

export function toJson({ number, title, layout, isHidden, lines, ...rest }: SlideContent): JsonObject {
  return {
    slide: number,
    title,
    layout,
    ...(isHidden ? { hidden: true } : {}),
    text: lines.map(({ level, text }) => `${"  ".repeat(level)}${text}`),
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value.length > 0)),
  };
}

/** The shapes of a slide, also those in groups, from the back to the front. */
export function shapesOf(tree: XmlElement | undefined): readonly XmlElement[] {
  if (tree === undefined) return [];
  return childrenOf(tree).flatMap((child) => {
    if (hasTag(child, "p:grpSp")) return shapesOf(child);
    if (hasTag(child, "mc:AlternateContent"))
      return shapesOf(childOf(child, "mc:Choice") ?? childOf(child, "mc:Fallback"));
    const isShape = (["p:sp", "p:pic", "p:graphicFrame", "p:cxnSp"] as const).some((tag) =>
      hasTag(child, tag),
    );
    return isShape ? [child] : [];
  });
}

/** The placeholder element of a shape (`title`, `body`, …); undefined when the shape is not a placeholder. */
export function placeholderOf(shape: XmlElement): XmlElement | undefined {
  return childrenOf(shape)
    .map((properties) => descend(properties, "p:nvPr", "p:ph"))
    .find((found) => found !== undefined);
}

export function placeholderType(shape: XmlElement): string | undefined {
  const placeholder = placeholderOf(shape);
  return placeholder === undefined ? undefined : placeholder.getAttribute("type") || "obj";
}

function isTitle(shape: XmlElement): boolean {
  return ["title", "ctrTitle"].includes(placeholderType(shape) ?? "");
}

/** Dates, footers and numbers of slides. */
function isMargin(shape: XmlElement): boolean {
  return ["dt", "ftr", "sldNum", "hdr", "sldImg"].includes(placeholderType(shape) ?? "");
}

function linesOf(shape: XmlElement | undefined): readonly Line[] {
  const body = childOf(shape, "p:txBody");
  if (body === undefined) return [];
  return childrenOf(body, "a:p").flatMap((paragraph) => {
    const text = paragraphText(paragraph).trim();
    const level = Number(descend(paragraph, "a:pPr")?.getAttribute("lvl")) || 0;
    return text === "" ? [] : [{ level: Math.min(level, 8), text }];
  });
}

function readTable(table: XmlElement): readonly (readonly string[])[] {
  return childrenOf(table, "a:tr").map((row) =>
    childrenOf(row, "a:tc").map((cell) => descendantsOf(cell, "a:p").map(paragraphText).join("\n").trim()),
  );
}

function readImage(deck: Deck, part: string, shape: XmlElement) {
  return descendantsOf(shape, "a:blip").flatMap((blip) => {
    const relation = deck.pkg.relation(part, attributeOf(blip, "r:embed"));
    if (relation === undefined || relation.isExternal) return [];
    const properties = descend(shape, "p:nvPicPr", "p:cNvPr");
    return [{ name: relation.target, alt: properties?.getAttribute("descr") ?? "" }];
  });
}

export function readNotes(deck: Deck, part: string): string {
  const notes = deck.related(part, "notesSlide");
  if (notes === undefined) return "";
  const shapes = shapesOf(descend(deck.pkg.xml(notes), "p:cSld", "p:spTree"));
  const bodies = shapes.filter((shape) => placeholderType(shape) === "body");
  return bodies
    .flatMap(linesOf)
    .map(({ text }) => text)
    .join("\n");
}
