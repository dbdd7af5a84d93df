import type { PDFImage } from "@cantoo/pdf-lib";
import { type Block, type Blocks, type Inlines, plainText } from "../shared/block.ts";
import { isRightToLeft } from "./bidi.ts";
import { drawTable } from "./draw-table.ts";
import { colors, LEADING, type Sheet } from "./sheet.ts";
import { type Line, wrap } from "./typeset.ts";

export type Images = ReadonlyMap<string, PDFImage>;

interface Frame {
  readonly indent: number;
  /** The space on the right, for lists from right to left. */
  readonly right?: number;
  readonly color?: typeof colors.text;
}

export function drawBlocks(sheet: Sheet, blocks: Blocks, images: Images, frame: Frame = { indent: 0 }): void {
  for (const block of blocks) drawBlock(sheet, block, images, frame);
}

function drawBlock(sheet: Sheet, block: Block, images: Images, frame: Frame): void {
  const { fontSize } = sheet.setup;
  switch (block.type) {
    case "heading":
      drawHeading(sheet, block.level, block.content, frame);
      break;
    case "paragraph":
      drawText(sheet, block.content, frame);
      sheet.skip(fontSize * 0.6);
      break;
    case "list":
      drawList(sheet, block, images, frame);
      break;
    case "table":
      drawTable(sheet, block);
      sheet.skip(fontSize);
      break;
    case "code":
      drawCode(sheet, block.text);
      break;
    case "quote":
      drawBlocks(sheet, block.blocks, images, { indent: frame.indent + fontSize * 1.5, color: colors.muted });
      break;
    case "image":
      drawImage(sheet, block, images);
      break;
    case "rule":
      drawRule(sheet);
      break;
    case "pageBreak":
      sheet.breakPage();
      break;
  }
}

const HEADING_SCALE = [2, 1.55, 1.3, 1.12, 1, 1] as const;

function drawHeading(sheet: Sheet, level: number, content: Inlines, frame: Frame): void {
  const size = sheet.setup.fontSize * (HEADING_SCALE[level - 1] ?? 1);
  const lines = wrap(content, widthIn(sheet, frame), { size, fonts: sheet.setup.fonts, bold: true });
  sheet.skip(size * 0.6);
  // A heading stays on the page where its section begins.
  sheet.need(lines.length * size * LEADING + 3 * sheet.setup.fontSize * LEADING);
  drawLines(sheet, lines, size, frame);
  sheet.skip(size * 0.35);
}

function drawText(sheet: Sheet, content: Inlines, frame: Frame): void {
  const size = sheet.setup.fontSize;
  drawLines(sheet, wrap(content, widthIn(sheet, frame), { size, fonts: sheet.setup.fonts }), size, frame);
}

function widthIn(sheet: Sheet, { indent, right = 0 }: Frame): number {
  return sheet.width - indent - right;
}

function drawLines(sheet: Sheet, lines: readonly Line[], size: number, frame: Frame): void {
  for (const line of lines) {
    sheet.need(size * LEADING);
    const x = sheet.left + frame.indent;
    const baseline = sheet.y - size;
    const color = frame.color ?? colors.text;
    sheet.drawLine(line, { x, baseline, width: widthIn(sheet, frame), size, color });
    sheet.advance(size * LEADING);
  }
}

type List = Extract<Block, { readonly type: "list" }>;

function drawList(sheet: Sheet, list: List, images: Images, frame: Frame): void {
  const { fontSize, fonts } = sheet.setup;
  const hang = fontSize * (list.ordered ? 2 : 1.4);
  list.items.forEach((blocks, index) => {
    const [first] = blocks;
    const isTurned = first?.type === "paragraph" && isRightToLeft(plainText(first.content));
    const number = list.start + index;
    const sign = list.ordered ? (isTurned ? `.${number}` : `${number}.`) : "•";
    const [line] = wrap([{ text: sign }], hang, { size: fontSize, fonts });
    sheet.need(fontSize * LEADING);
    const side = isTurned ? sheet.left + sheet.width - (frame.right ?? 0) - hang : sheet.left + frame.indent;
    const place = { x: side, baseline: sheet.y - fontSize, width: hang, size: fontSize };
    if (line !== undefined) sheet.drawLine(line, isTurned ? { ...place, align: "right" } : place);
    const inner = isTurned
      ? { ...frame, right: (frame.right ?? 0) + hang }
      : { ...frame, indent: frame.indent + hang };
    if (blocks.length === 0) sheet.advance(fontSize * LEADING);
    blocks.forEach((block, at) => {
      // Items stand close together; what follows in the same item is a paragraph of its own.
      if (block.type === "paragraph" && at === blocks.length - 1) drawText(sheet, block.content, inner);
      else if (block.type === "paragraph" && blocks[at + 1]?.type === "list")
        drawText(sheet, block.content, inner);
      else drawBlock(sheet, block, images, inner);
    });
    sheet.skip(fontSize * 0.2);
  });
  if (frame.indent === 0 && (frame.right ?? 0) === 0) sheet.skip(fontSize * 0.5);
}

function drawCode(sheet: Sheet, text: string): void {
  const size = sheet.setup.fontSize * 0.85;
  const font = sheet.setup.fonts.code;
  const columns = Math.max(1, Math.floor((sheet.width - 12) / font.widthOfTextAtSize("x", size)));
  const lines = text
    .replaceAll("\t", "    ")
    .split(/\r\n|\r|\n/)
    .flatMap((line) => line.match(new RegExp(`.{1,${columns}}`, "gu")) ?? [""]);
  for (const line of lines) {
    sheet.need(size * LEADING);
    const y = sheet.y - size * LEADING;
    sheet.page.drawRectangle({
      x: sheet.left,
      y,
      width: sheet.width,
      height: size * LEADING,
      color: colors.shade,
    });
    if (line.trim() !== "") {
      sheet.page.drawText(line, {
        x: sheet.left + 6,
        y: sheet.y - size * 1.05,
        size,
        font,
        color: colors.text,
      });
    }
    sheet.advance(size * LEADING);
  }
  sheet.skip(sheet.setup.fontSize * 0.8);
}

type Image = Extract<Block, { readonly type: "image" }>;

/** As wide as asked, or as it is at 96 dots to the inch, but never larger than the page. */
function drawImage(sheet: Sheet, block: Image, images: Images): void {
  const image = images.get(block.path);
  if (image === undefined) return;
  const wished = block.width ?? image.width * 0.75;
  const fullHeight = sheet.top - sheet.setup.margin;
  const scale = Math.min(wished, sheet.width, (fullHeight / image.height) * image.width) / image.width;
  const { width, height } = image.scale(scale);
  sheet.need(height);
  sheet.page.drawImage(image, { x: sheet.left, y: sheet.y - height, width, height });
  sheet.advance(height);
  sheet.skip(sheet.setup.fontSize * 0.8);
}

function drawRule(sheet: Sheet): void {
  const { fontSize } = sheet.setup;
  sheet.need(fontSize);
  const y = sheet.y - fontSize / 2;
  const { page, left, width } = sheet;
  page.drawLine({ start: { x: left, y }, end: { x: left + width, y }, thickness: 0.8, color: colors.line });
  sheet.advance(fontSize);
}
