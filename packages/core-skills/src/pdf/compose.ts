import { PageSizes, PDFDocument } from "@cantoo/pdf-lib";
import { inputError } from "../shared/script-error.ts";
import type { ScriptIo } from "../shared/script-io.ts";
import { replaceCharacters, textsOf } from "./block-text.ts";
import type { Description, Settings } from "./description.ts";
import { drawBlocks } from "./draw-block.ts";
import { embedImages } from "./embed-image.ts";
import { findMissing, missingCharacters, warnOfShapes } from "./font.ts";
import { colors, Sheet, type SheetSetup } from "./sheet.ts";
import { embedFonts, type FontFiles } from "./typeset.ts";

/** Sets a description in type. No dates go in: the same description gives the same bytes. */
export async function compose(
  { settings, blocks }: Description,
  request: ComposeRequest,
  io: ScriptIo,
): Promise<Composition> {
  const { base, replace, fonts } = request;
  const document = await PDFDocument.create({ updateMetadata: false });
  if (settings.title !== undefined) document.setTitle(settings.title, { showInWindowTitleBar: true });
  if (settings.author !== undefined) document.setAuthor(settings.author);
  if (settings.language !== undefined) document.setLanguage(settings.language);
  const setup = { ...readSetup(settings), fonts: await embedFonts(document, fonts, io) };
  const text = blocks.flatMap(textsOf).join("");
  const missing = findMissing(text, setup.fonts.regular);
  if (missing.length > 0 && replace === undefined) throw missingCharacters(missing, "The description");
  const known = missing.length === 0 ? blocks : replaceCharacters(blocks, missing, replace ?? "");
  const images = await embedImages(document, known, base, io);
  const sheet = new Sheet(document, setup);
  drawBlocks(sheet, known, images);
  if (document.getPageCount() === 0) document.addPage([setup.width, setup.height]);
  if (settings.pageNumbers === true) numberPages(document, setup);
  return { document, replaced: missing, warnings: warnOfShapes(text, setup.fonts.regular) };
}

export interface ComposeRequest {
  /** The file that paths of images are meant from. */
  readonly base: string | undefined;
  /** Written for characters that the fonts lack; without it, they are a failure. */
  readonly replace: string | undefined;
  readonly fonts: FontFiles;
}

export interface Composition {
  readonly document: PDFDocument;
  readonly replaced: readonly string[];
  readonly warnings: readonly string[];
}

const pageSizes: ReadonlyMap<string, readonly [number, number]> = new Map([
  ["a3", PageSizes.A3],
  ["a4", PageSizes.A4],
  ["a5", PageSizes.A5],
  ["letter", PageSizes.Letter],
  ["legal", PageSizes.Legal],
]);

function readSetup(settings: Settings): Omit<SheetSetup, "fonts"> {
  const size = pageSizes.get((settings.pageSize ?? "A4").toLowerCase());
  if (size === undefined)
    throw inputError("INVALID_DESCRIPTION", "The page size is A3, A4, A5, Letter or Legal.");
  const [across, down] = settings.landscape === true ? [size[1], size[0]] : size;
  const margin = settings.margin ?? 56;
  const fontSize = settings.fontSize ?? 11;
  if (!(margin >= 0 && margin <= across / 3))
    throw inputError("INVALID_DESCRIPTION", "The margin does not fit.");
  if (!(fontSize >= 5 && fontSize <= 40))
    throw inputError("INVALID_DESCRIPTION", "The font size is 5 to 40 points.");
  return { width: across, height: down, margin, fontSize };
}

function numberPages(document: PDFDocument, setup: SheetSetup): void {
  const pages = document.getPages();
  pages.forEach((page, index) => {
    const text = `${index + 1} / ${pages.length}`;
    const width = setup.fonts.regular.widthOfTextAtSize(text, 9);
    const place = { x: (setup.width - width) / 2, y: Math.max(12, setup.margin / 2) };
    page.drawText(text, { ...place, size: 9, font: setup.fonts.regular, color: colors.muted });
  });
}
