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
  readonly isBold?: boolean;
  readonly isItalic?: boolean;
  readonly align?: "l" | "ctr" | "r";
  /** A color of the theme; the master's otherwise. */
  readonly color?: string;
  /** Points between paragraphs. */
  readonly space?: number;
}

/** A colored rectangle behind the text. */
interface Mark {
  readonly box: Box;
  readonly color: string;
  /** Mixes the color with white, so that it shows on a dark ground. */
  readonly isLight?: boolean;
}

interface BlankLayout {
  /** As the schema names it; a layout of our own has none. */
  readonly type?: string;
  readonly name: string;
  readonly holders: readonly Holder[];
  /** A color of the theme; the master's background otherwise. */
  readonly ground?: string;
  /** Without marks, the layout shows those of the master. */
  readonly marks?: readonly Mark[];
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

const dark = { ground: "tx2" } as const;
/** The accent tab beside the title of every plain slide. */
const masterMarks: readonly Mark[] = [{ box: [0, 60, 16, 70], color: "accent1" }];

/** The layouts of a new deck, under the names and types that PowerPoint gives its own. */
export const blankLayouts: readonly BlankLayout[] = [
  {
    ...dark,
    type: "title",
    name: "Title Slide",
    marks: [{ box: [120, 382, 160, 6], color: "accent1", isLight: true }],
    holders: [
      {
        ...{ type: "ctrTitle", name: "Title", box: [120, 170, 1093, 195], anchor: "b" },
        ...{ size: 44, align: "l", color: "bg1" },
      },
      {
        ...{ type: "subTitle", index: 1, name: "Subtitle", box: [120, 405, 1093, 130] },
        ...{ size: 22, isPlain: true, color: "bg2" },
      },
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
    ground: "bg2",
    marks: [
      { box: [0, 0, 40, 750], color: "accent1" },
      { box: [120, 402, 160, 6], color: "accent1" },
    ],
    holders: [
      { type: "title", name: "Title", box: [120, 210, 1093, 175], anchor: "b", size: 38 },
      { type: "body", index: 1, name: "Text", box: [120, 425, 1093, 120], size: 20, isPlain: true },
    ],
  },
  {
    type: "twoObj",
    name: "Two Content",
    holders: [
      { type: "title", name: "Title" },
      { type: "obj", index: 1, name: "Left Content", box: [60, 165, 590, 500] },
      { type: "obj", index: 2, name: "Right Content", box: [683, 165, 590, 500] },
    ],
  },
  {
    type: "twoTxTwoObj",
    name: "Comparison",
    marks: [
      ...masterMarks,
      { box: [60, 232, 590, 3], color: "accent1" },
      { box: [683, 232, 590, 3], color: "accent1" },
    ],
    holders: [
      { type: "title", name: "Title" },
      { ...columnHead(1, "Left Heading"), box: [60, 165, 590, 62] },
      { type: "obj", index: 2, name: "Left Content", box: [60, 250, 590, 415] },
      { ...columnHead(3, "Right Heading"), box: [683, 165, 590, 62] },
      { type: "obj", index: 4, name: "Right Content", box: [683, 250, 590, 415] },
    ],
  },
  {
    type: "picTx",
    name: "Picture with Caption",
    marks: [{ box: [0, 0, 800, 750], color: "bg2" }],
    holders: [
      { type: "title", name: "Title", box: [850, 150, 423, 180], anchor: "b", size: 30 },
      { type: "pic", index: 1, name: "Picture", box: [40, 40, 720, 670] },
      { type: "body", index: 2, name: "Caption", box: [850, 345, 423, 320], size: 20, isPlain: true },
    ],
  },
  {
    name: "Agenda",
    marks: [
      { box: [0, 0, 430, 750], color: "bg2" },
      { box: [0, 0, 16, 750], color: "accent1" },
    ],
    holders: [
      { type: "title", name: "Title", box: [60, 60, 330, 630], anchor: "ctr", size: 36 },
      { type: "body", index: 1, name: "Items", box: [490, 60, 783, 630], anchor: "ctr", size: 26, space: 16 },
    ],
  },
  {
    name: "Quote",
    marks: [{ box: [150, 180, 10, 390], color: "accent1" }],
    holders: [
      { type: "title", name: "Title", box: [60, 40, 1213, 80], anchor: "ctr", size: 20 },
      {
        ...{ type: "body", index: 1, name: "Quote", box: [190, 180, 963, 300], anchor: "ctr" },
        ...{ size: 32, isPlain: true, isItalic: true, color: "tx2" },
      },
      {
        ...{ type: "body", index: 2, name: "Source", box: [190, 500, 963, 70], anchor: "ctr" },
        ...{ size: 20, isPlain: true, color: "accent1" },
      },
    ],
  },
  {
    name: "Big Number",
    holders: [
      { type: "title", name: "Title" },
      {
        ...{ type: "body", index: 1, name: "Number", box: [60, 180, 1213, 250], anchor: "b", align: "ctr" },
        ...{ size: 115, isPlain: true, isBold: true, color: "accent1" },
      },
      {
        ...{ type: "body", index: 2, name: "Meaning", box: [190, 450, 953, 170], align: "ctr" },
        ...{ size: 24, isPlain: true },
      },
    ],
  },
  {
    ...dark,
    name: "Closing",
    marks: [{ box: [586, 402, 160, 6], color: "accent1", isLight: true }],
    holders: [
      {
        ...{ type: "ctrTitle", name: "Title", box: [120, 190, 1093, 195], anchor: "b" },
        ...{ size: 44, align: "ctr", color: "bg1" },
      },
      {
        ...{ type: "body", index: 1, name: "Text", box: [120, 425, 1093, 170], align: "ctr" },
        ...{ size: 22, isPlain: true, color: "bg2" },
      },
    ],
  },
  { type: "titleOnly", name: "Title Only", holders: [{ type: "title", name: "Title" }] },
  { type: "blank", name: "Blank", marks: [], holders: [] },
];

function columnHead(index: number, name: string): Holder {
  return { type: "body", index, name, size: 22, isPlain: true, isBold: true, color: "accent1", anchor: "b" };
}

export function layoutXml({ type, name, holders, ground, marks }: BlankLayout): string {
  const inner = marks ?? [];
  const shapes = [...holders, ...margins.map(({ box: _, ...holder }) => holder)].map((holder, at) =>
    holderXml(holder, at + inner.length),
  );
  const typeXml = type === undefined ? ' userDrawn="1"' : ` type="${type}"`;
  const masterXml = marks === undefined ? "" : ' showMasterSp="0"';
  const groundXml =
    ground === undefined
      ? ""
      : `<p:bg><p:bgPr><a:solidFill><a:schemeClr val="${ground}"/></a:solidFill><a:effectLst/></p:bgPr></p:bg>`;
  return `${XML_HEAD}<p:sldLayout ${spaces}${masterXml}${typeXml} preserve="1"><p:cSld name="${name}">${groundXml}${treeXml(inner.map(markXml).join("") + shapes.join(""))}</p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sldLayout>`;
}

function markXml({ box, color, isLight }: Mark, at: number): string {
  const tint = isLight === true ? '<a:lumMod val="60000"/><a:lumOff val="40000"/>' : "";
  return `<p:sp><p:nvSpPr><p:cNvPr id="${at + 2}" name="Mark ${at + 1}"/><p:cNvSpPr/><p:nvPr userDrawn="1"/></p:nvSpPr><p:spPr>${boxXml(box)}<a:solidFill><a:schemeClr val="${color}">${tint}</a:schemeClr></a:solidFill><a:ln><a:noFill/></a:ln></p:spPr></p:sp>`;
}

export function masterXml(layoutIds: readonly string[]): string {
  const shapes =
    masterMarks.map(markXml).join("") +
    [title, body, ...margins].map((holder, at) => holderXml(holder, at + masterMarks.length)).join("");
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
  const { type, index, name, anchor } = holder;
  const typeXml = type === "obj" ? "" : ` type="${type}"`;
  const indexXml = index === undefined ? "" : ` idx="${index}"`;
  const isNumber = type === "sldNum";
  const text = isNumber
    ? '<a:fld id="{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}" type="slidenum"><a:rPr lang="en-US"/><a:t>‹#›</a:t></a:fld>'
    : "";
  const style = styleXml(holder);
  const bodyXml = `<p:txBody><a:bodyPr${anchor === undefined ? "" : ` anchor="${anchor}"`}><a:normAutofit/></a:bodyPr><a:lstStyle>${style}</a:lstStyle><a:p>${text}<a:endParaRPr lang="en-US"/></a:p></p:txBody>`;
  const locks =
    type === "sldImg" ? '<a:spLocks noGrp="1" noRot="1" noChangeAspect="1"/>' : '<a:spLocks noGrp="1"/>';
  return `<p:sp><p:nvSpPr><p:cNvPr id="${at + 2}" name="${name}"/><p:cNvSpPr>${locks}</p:cNvSpPr><p:nvPr><p:ph${typeXml}${indexXml}/></p:nvPr></p:nvSpPr><p:spPr>${boxXml(holder.box)}</p:spPr>${type === "sldImg" ? "" : bodyXml}</p:sp>`;
}

/** The look of the first level, where the layout differs from the master. */
function styleXml({ size, isPlain, isBold, isItalic, align, color, space }: Holder): string {
  const isStyled = [size, isPlain, isBold, isItalic, align, color, space].some((each) => each !== undefined);
  if (!isStyled) return "";
  const indent = isPlain === true ? ' marL="0" indent="0"' : "";
  const alignment = align === undefined ? "" : ` algn="${align}"`;
  const gap = space === undefined ? "" : `<a:spcBef><a:spcPts val="${space * 100}"/></a:spcBef>`;
  const bullet = isPlain === true ? "<a:buNone/>" : "";
  const look = [
    size === undefined ? "" : ` sz="${size * 100}"`,
    isBold === true ? ' b="1"' : "",
    isItalic === true ? ' i="1"' : "",
  ].join("");
  const fill = color === undefined ? "" : `<a:solidFill><a:schemeClr val="${color}"/></a:solidFill>`;
  return `<a:lvl1pPr${indent}${alignment}>${gap}${bullet}<a:defRPr${look}>${fill}</a:defRPr></a:lvl1pPr>`;
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
