import { degrees, type PDFFont, type PDFPage, rgb, StandardFonts } from "@cantoo/pdf-lib";
import { readInteger } from "../shared/bounded.ts";
import { defineCommand } from "../shared/command.ts";
import { chooseOutput, editOptions } from "../shared/output-file.ts";
import { formatRanges, parseRanges } from "../shared/range.ts";
import { usageError } from "../shared/script-error.ts";
import { drawDirected, findMissing, fontOption, missingCharacters, readFont, warnOfShapes } from "./font.ts";
import { openToChange, passwordOptions } from "./open-pdf.ts";
import { pageOptions } from "./page-option.ts";
import { saveEdited, warnOfChange } from "./save-pdf.ts";

export const watermarkCommand = defineCommand({
  name: "watermark",
  summary: "Write a text across pages",
  operands: { label: "<file>", min: 1, max: 1 },
  options: {
    text: { type: "string", help: "The text, one line" },
    opacity: { type: "string", value: "percent", help: "How solid it is, 1 to 100 (default 20)" },
    angle: { type: "string", value: "degrees", help: "Counter-clockwise, -90 to 90 (default 45)" },
    size: { type: "string", value: "points", help: "Size of the letters (default: as large as fits)" },
    color: { type: "string", value: "hex", help: "Its color, as c00000 (default 808080)" },
    ...fontOption,
    ...pageOptions,
    ...editOptions,
    ...passwordOptions,
  },
  details: "Example: watermark report.pdf --text DRAFT --out draft.pdf",
  run: async ({ operands: [path = ""], options }, io) => {
    const text = options.text?.trim() ?? "";
    if (text === "" || /[\r\n]/.test(text)) throw usageError("Give one line of text: --text DRAFT.");
    const opacity = readInteger("opacity", options.opacity, { min: 1, max: 100 }) ?? 20;
    const angle = readInteger("angle", options.angle, { min: -90, max: 90 }) ?? 45;
    const size = readInteger("size", options.size, { min: 4, max: 1000 });
    const color = readColor(options.color ?? "808080");
    const opened = await openToChange(path, options, io);
    const output = await chooseOutput(options, [opened.file], io);
    const pages = opened.document.getPages();
    const marked = parseRanges(options.pages, pages.length, "page");
    const warnings = warnOfChange(opened);
    const font = await readFont(opened.document, options.font, io, StandardFonts.HelveticaBold);
    const missing = findMissing(text, font);
    if (missing.length > 0) throw missingCharacters(missing, "The watermark");
    for (const index of marked) {
      const page = pages[index];
      if (page === undefined) continue;
      drawDirected(page, text, {
        ...place(page, text, { font, angle, size }),
        font,
        color,
        opacity: opacity / 100,
      });
    }
    return {
      ...(await saveEdited(opened, output)),
      marked: formatRanges(marked),
      warnings: [...warnings, ...warnOfShapes(text, font)],
    };
  },
});

/** Centers the text in the visible area, as large as fits, and rotates it with the page. */
function place(
  page: PDFPage,
  text: string,
  request: { readonly font: PDFFont; readonly angle: number; readonly size: number | undefined },
) {
  const box = page.getCropBox();
  const turn = page.getRotation().angle;
  const radians = ((request.angle + turn) * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  const width = request.font.widthOfTextAtSize(text, 1);
  const across = Math.abs(width * cos) + Math.abs(sin);
  const down = Math.abs(width * sin) + Math.abs(cos);
  const size = request.size ?? Math.min(box.width / across, box.height / down) * FILL;
  // From the middle back by half the text along its line, and by a third of its height across.
  const [back, below] = [(width * size) / 2, size * 0.35];
  return {
    size,
    x: box.x + box.width / 2 - back * cos + below * sin,
    y: box.y + box.height / 2 - back * sin - below * cos,
    rotate: degrees(request.angle + turn),
  };
}

const FILL = 0.8;

function readColor(hex: string) {
  const found = /^#?([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(hex);
  if (found === null) throw usageError("--color is six hexadecimal digits, as c00000.");
  const [red = 0, green = 0, blue = 0] = found.slice(1).map((part) => Number.parseInt(part, 16) / 255);
  return rgb(red, green, blue);
}
