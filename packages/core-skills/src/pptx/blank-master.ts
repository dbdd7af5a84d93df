import { XML_HEAD } from "../shared/xml.ts";

/** A rectangle in hundredths of an inch. */
type Box = readonly [x: number, y: number, width: number, height: number];

interface Holder {
  readonly type: string;
  readonly index?: number;
  readonly name: string;
  readonly box?: Box;
  /** Attributes of the text's body: where it is anchored. */
  readonly anchor?: "t" | "ctr" | "b";
  /** In points; the master's size otherwise. */
  readonly size?: number;
  readonly isPlain?: boolean;
  readonly align?: "l" | "ctr" | "r";
}

const spaces = [
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"',
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"',
  'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"',
].join(" ");

const title: Holder = { type: "title", name: "Title", box: [60, 40, 1213, 110], anchor: "ctr" };
const body: Holder = { type: "body", index: 1, name: "Content", box: [60, 165, 1213, 500] };
const margins: readonly Holder[] = [
  { type: "dt", index: 10, name: "Date", box: [60, 695, 300, 40], size: 12, anchor: "ctr", align: "l" },
  { type: "ftr", index: 11, name: "Footer", box: [440, 695, 453, 40], size: 12, anchor: "ctr", align: "ctr" },
  {
    type: "sldNum",
    index: 12,
    name: "Slide Number",
    box: [973, 695, 300, 40],
    size: 12,
    anchor: "ctr",
    align: "r",
  },
];

/** The layouts of a new deck, under the names and types that PowerPoint gives its own. */
export const blankLayouts: readonly {
  readonly type: string;
  readonly name: string;
  readonly holders: readonly Holder[];
}[] = [
  {
    type: "title",
    name: "Title Slide",
    holders: [
      { type: "ctrTitle", name: "Title", box: [120, 190, 1093, 170], anchor: "b", size: 44, align: "l" },
      { type: "subTitle", index: 1, name: "Subtitle", box: [120, 380, 1093, 130], size: 22, isPlain: true },
    ],
  },
  {
    type: "obj",
    name: "Title and Content",
    holders: [
      { type: "title", name: "Title" },
      { type: "obj", index: 1, name: "Content" },
    ],
  },
  {
    type: "secHead",
    name: "Section Header",
    holders: [
      { type: "title", name: "Title", box: [120, 230, 1093, 160], anchor: "b", size: 38 },
      { type: "body", index: 1, name: "Text", box: [120, 400, 1093, 120], size: 20, isPlain: true },
    ],
  },
  {
    type: "twoObj",
    name: "Two Content",
    holders: [
      { type: "title", name: "Title" },
      { type: "obj", index: 1, name: "Left Content", box: [60, 165, 596, 500] },
      { type: "obj", index: 2, name: "Right Content", box: [677, 165, 596, 500] },
    ],
  },
  { type: "titleOnly", name: "Title Only", holders: [{ type: "title", name: "Title" }] },
  { type: "blank", name: "Blank", holders: [] },
];

export function layoutXml({ type, name, holders }: (typeof blankLayouts)[number]): string {
  const shapes = [...holders, ...margins.map(({ box: _, ...holder }) => holder)].map(holderXml).join("");
  return `${XML_HEAD}<p:sldLayout ${spaces} type="${type}" preserve="1"><p:cSld name="${name}">${treeXml(shapes)}</p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sldLayout>`;
}

export function masterXml(layoutIds: readonly string[]): string {
  const shapes = [title, body, ...margins].map(holderXml).join("");
  const ids = layoutIds
    .map((id, index) => `<p:sldLayoutId id="${FIRST_ID + 1 + index}" r:id="${id}"/>`)
    .join("");
  return `${XML_HEAD}<p:sldMaster ${spaces}><p:cSld><p:bg><p:bgRef idx="1001"><a:schemeClr val="bg1"/></p:bgRef></p:bg>${treeXml(shapes)}</p:cSld>${COLOR_MAP}<p:sldLayoutIdLst>${ids}</p:sldLayoutIdLst><p:txStyles>${titleStyle}${bodyStyle}${otherStyle}</p:txStyles></p:sldMaster>`;
}

/** The first id of masters and layouts; all of them are unlike in one deck. */
export const FIRST_ID = 2_147_483_648;

export function notesMasterXml(): string {
  const image: Holder = { type: "sldImg", index: 2, name: "Slide Image", box: [75, 94, 600, 338] };
  const notes: Holder = { type: "body", index: 3, name: "Notes", box: [75, 475, 600, 390] };
  const levels = Array.from({ length: 9 }, (_, level) =>
    levelXml(level + 1, { left: level * 457_200, size: 12 }),
  ).join("");
  return `${XML_HEAD}<p:notesMaster ${spaces}><p:cSld><p:bg><p:bgRef idx="1001"><a:schemeClr val="bg1"/></p:bgRef></p:bg>${treeXml(
    holderXml(image, 0) + holderXml(notes, 1),
  )}</p:cSld>${COLOR_MAP}<p:notesStyle>${levels}</p:notesStyle></p:notesMaster>`;
}

const COLOR_MAP =
  '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>';

/** The tree of shapes that every slide, layout and master has. */
export function treeXml(shapes: string): string {
  const zero = '<a:off x="0" y="0"/><a:ext cx="0" cy="0"/><a:chOff x="0" y="0"/><a:chExt cx="0" cy="0"/>';
  return `<p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm>${zero}</a:xfrm></p:grpSpPr>${shapes}</p:spTree>`;
}

function holderXml(holder: Holder, at: number): string {
  const { type, index, name, anchor, size, isPlain, align } = holder;
  const typeXml = type === "obj" ? "" : ` type="${type}"`;
  const indexXml = index === undefined ? "" : ` idx="${index}"`;
  const isNumber = type === "sldNum";
  const text = isNumber
    ? '<a:fld id="{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}" type="slidenum"><a:rPr lang="en-US"/><a:t>‹#›</a:t></a:fld>'
    : "";
  const bullet = isPlain === true ? "<a:buNone/>" : "";
  const isStyled = size !== undefined || align !== undefined || isPlain === true;
  const indent = isPlain === true ? ' marL="0" indent="0"' : "";
  const style = isStyled
    ? `<a:lvl1pPr${indent}${align === undefined ? "" : ` algn="${align}"`}>${bullet}<a:defRPr${size === undefined ? "" : ` sz="${size * 100}"`}/></a:lvl1pPr>`
    : "";
  const bodyXml = `<p:txBody><a:bodyPr${anchor === undefined ? "" : ` anchor="${anchor}"`}><a:normAutofit/></a:bodyPr><a:lstStyle>${style}</a:lstStyle><a:p>${text}<a:endParaRPr lang="en-US"/></a:p></p:txBody>`;
  const locks =
    type === "sldImg" ? '<a:spLocks noGrp="1" noRot="1" noChangeAspect="1"/>' : '<a:spLocks noGrp="1"/>';
  return `<p:sp><p:nvSpPr><p:cNvPr id="${at + 2}" name="${name}"/><p:cNvSpPr>${locks}</p:cNvSpPr><p:nvPr><p:ph${typeXml}${indexXml}/></p:nvPr></p:nvSpPr><p:spPr>${boxXml(holder.box)}</p:spPr>${type === "sldImg" ? "" : bodyXml}</p:sp>`;
}

function boxXml(box: Box | undefined): string {
  if (box === undefined) return "";
  const [x, y, width, height] = box.map((value) => value * 9144);
  return `<a:xfrm><a:off x="${x}" y="${y}"/><a:ext cx="${width}" cy="${height}"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom>`;
}

interface Level {
  readonly left: number;
  readonly size: number;
  readonly hanging?: number;
  readonly bullet?: string;
  readonly font?: "+mj" | "+mn";
  readonly isBold?: boolean;
  readonly color?: string;
}

function levelXml(
  level: number,
  { left, size, hanging = 0, bullet, font = "+mn", isBold = false, color = "tx1" }: Level,
): string {
  const mark =
    bullet === undefined ? "<a:buNone/>" : `<a:buFont typeface="Arial"/><a:buChar char="${bullet}"/>`;
  return `<a:lvl${level}pPr marL="${left}" indent="${-hanging}" algn="l" defTabSz="914400" rtl="0" eaLnBrk="1" latinLnBrk="0" hangingPunct="1"><a:spcBef><a:spcPts val="600"/></a:spcBef>${mark}<a:defRPr sz="${size * 100}"${isBold ? ' b="1"' : ""} kern="1200"><a:solidFill><a:schemeClr val="${color}"/></a:solidFill><a:latin typeface="${font}-lt"/><a:ea typeface="${font}-ea"/><a:cs typeface="${font}-cs"/></a:defRPr></a:lvl${level}pPr>`;
}

const titleStyle = `<p:titleStyle>${levelXml(1, { left: 0, size: 32, font: "+mj", isBold: true, color: "tx2" })}</p:titleStyle>`;
const bodySizes = [22, 20, 18, 16, 16, 16, 16, 16, 16];
const bodyStyle = `<p:bodyStyle>${bodySizes
  .map((size, index) =>
    levelXml(index + 1, {
      left: 285_750 + index * 400_050,
      hanging: 285_750,
      size,
      bullet: index % 2 === 0 ? "•" : "–",
    }),
  )
  .join("")}</p:bodyStyle>`;
const otherStyle = `<p:otherStyle>${bodySizes
  .map((_, index) => levelXml(index + 1, { left: index * 457_200, size: 18 }))
  .join("")}</p:otherStyle>`;
