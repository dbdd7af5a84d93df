import type { Inline, Inlines } from "../shared/block.ts";
import { escapeXml } from "../shared/xml.ts";
import type { Placeholder, Rectangle } from "./layout-choice.ts";
import type { SpecLine } from "./slide-spec.ts";

/** Makes a relationship to an address, and answers with its id. */
export type Link = (address: string) => string;

/** A shape that fills a placeholder of the layout. A given rectangle overrides the position from the layout. */
export function placeholderXml(
  id: number,
  name: string,
  { type, index }: Placeholder,
  paragraphs: string,
  rectangle?: Rectangle,
): string {
  const typeXml = type === "obj" ? "" : ` type="${escapeXml(type)}"`;
  const indexXml = index === undefined ? "" : ` idx="${escapeXml(index)}"`;
  const frame = rectangle === undefined ? "" : frameXml("a:xfrm", rectangle);
  return `<p:sp><p:nvSpPr><p:cNvPr id="${id}" name="${name}"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr><p:ph${typeXml}${indexXml}/></p:nvPr></p:nvSpPr><p:spPr>${frame}</p:spPr><p:txBody><a:bodyPr><a:normAutofit/></a:bodyPr><a:lstStyle/>${paragraphs || "<a:p/>"}</p:txBody></p:sp>`;
}

/** A box of text that is no placeholder. */
export function textBoxXml(id: number, rectangle: Rectangle, paragraphs: string): string {
  return `<p:sp><p:nvSpPr><p:cNvPr id="${id}" name="Text ${id}"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr>${frameXml("a:xfrm", rectangle)}<a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:noFill/></p:spPr><p:txBody><a:bodyPr wrap="square"><a:normAutofit/></a:bodyPr><a:lstStyle/>${paragraphs || "<a:p/>"}</p:txBody></p:sp>`;
}

export function linesXml(lines: readonly SpecLine[], link: Link, isPlain: boolean, points?: number): string {
  return lines
    .map(({ level, mark, content }) => {
      const levelXml = level === 0 ? "" : ` lvl="${level}"`;
      const markXml = isPlain ? "" : marks[mark];
      const indent = isPlain ? "" : indents[mark](level);
      return `<a:p><a:pPr${indent}${levelXml}>${markXml}</a:pPr>${inlinesXml(content, link, points)}</a:p>`;
    })
    .join("");
}

/** Numbers are wider than bullets. */
const indents = {
  bullet: () => "",
  number: (level: number) => ` marL="${457_200 + level * 400_050}" indent="-457200"`,
  none: () => ' marL="0" indent="0"',
} as const;

const marks = {
  bullet: "",
  number: '<a:buFont typeface="+mj-lt"/><a:buAutoNum type="arabicPeriod"/>',
  none: "<a:buNone/>",
} as const;

/** The size is in points; that of the place otherwise. */
export function inlinesXml(content: Inlines, link: Link, points?: number): string {
  return content.map((inline) => inlineXml(inline, link, points)).join("");
}

function inlineXml({ text, bold, italic, code, strike, href }: Inline, link: Link, points?: number): string {
  const attributes = [
    points === undefined ? "" : ` sz="${points * 100}"`,
    bold === true ? ' b="1"' : "",
    italic === true ? ' i="1"' : "",
    strike === true ? ' strike="sngStrike"' : "",
  ].join("");
  const isLink = href !== undefined && /^(?:https?:|mailto:|tel:)/i.test(href);
  const inner = `${code === true ? '<a:latin typeface="Courier New"/>' : ""}${isLink ? `<a:hlinkClick r:id="${link(href)}"/>` : ""}`;
  const properties = `<a:rPr lang="en-US"${attributes} dirty="0">${inner}</a:rPr>`;
  return text
    .split("\n")
    .map((line) => (line === "" ? "" : `<a:r>${properties}<a:t>${escapeXml(line)}</a:t></a:r>`))
    .join("<a:br/>");
}

export function imageXml(id: number, relation: string, alt: string, rectangle: Rectangle): string {
  return `<p:pic><p:nvPicPr><p:cNvPr id="${id}" name="Image ${id}" descr="${escapeXml(alt)}"/><p:cNvPicPr><a:picLocks noChangeAspect="1"/></p:cNvPicPr><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="${relation}"/><a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr>${frameXml("a:xfrm", rectangle)}<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic>`;
}

/** A frame for a table or a chart. */
export function graphicXml(
  id: number,
  name: string,
  uri: string,
  content: string,
  rectangle: Rectangle,
): string {
  return `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="${id}" name="${name} ${id}"/><p:cNvGraphicFramePr><a:graphicFrameLocks noGrp="1"/></p:cNvGraphicFramePr><p:nvPr/></p:nvGraphicFramePr>${frameXml("p:xfrm", rectangle)}<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/${uri}">${content}</a:graphicData></a:graphic></p:graphicFrame>`;
}

function frameXml(tag: "a:xfrm" | "p:xfrm", { x, y, width, height }: Rectangle): string {
  const [left, top, wide, high] = [x, y, width, height].map(Math.round);
  return `<${tag}><a:off x="${left}" y="${top}"/><a:ext cx="${wide}" cy="${high}"/></${tag}>`;
}
