import type { Block } from "../shared/block.ts";
import { TABLE_STYLE } from "./blank-deck.ts";
import type { Rectangle } from "./layout-choice.ts";
import { inlinesXml, type Link } from "./slide-xml.ts";

type Table = Extract<Block, { type: "table" }>;

const alignments = { left: "l", center: "ctr", right: "r" } as const;
const ROW_HEIGHT = 457_200;

/** A table as wide as its place. Rows get lower, and letters smaller, when there are many. */
export function tableXml({ header, align, rows }: Table, rectangle: Rectangle, link: Link): string {
  const hasHeader = header.some((cell) => cell.length > 0);
  const all = hasHeader ? [header, ...rows] : rows;
  const columns = Math.max(header.length, 1);
  const width = Math.floor(rectangle.width / columns);
  const height = Math.floor(Math.min(ROW_HEIGHT, rectangle.height / Math.max(all.length, 1)));
  const points = Math.max(8, Math.min(18, Math.floor((height / 12_700) * 0.5)));
  const grid = Array.from({ length: columns }, () => `<a:gridCol w="${width}"/>`).join("");
  const body = all.map((row) => {
    const cells = Array.from({ length: columns }, (_, column) => {
      const text = inlinesXml(row[column] ?? [], link, points);
      const end = text === "" ? `<a:endParaRPr lang="en-US" sz="${points * 100}"/>` : "";
      return `<a:tc><a:txBody><a:bodyPr/><a:lstStyle/><a:p><a:pPr algn="${alignments[align[column] ?? "left"]}"/>${text}${end}</a:p></a:txBody><a:tcPr anchor="ctr"/></a:tc>`;
    });
    return `<a:tr h="${height}">${cells.join("")}</a:tr>`;
  });
  return `<a:tbl><a:tblPr${hasHeader ? ' firstRow="1"' : ""} bandRow="1"><a:tableStyleId>${TABLE_STYLE}</a:tableStyleId></a:tblPr><a:tblGrid>${grid}</a:tblGrid>${body.join("")}</a:tbl>`;
}
