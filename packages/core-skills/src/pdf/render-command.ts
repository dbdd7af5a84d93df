import { readInteger } from "../shared/bounded.ts";
import { defineCommand, type JsonObject } from "../shared/command.ts";
import { folderOptions, outputIn, writeOutput } from "../shared/output-file.ts";
import { formatRanges, parseRanges } from "../shared/range.ts";
import { usageError } from "../shared/script-error.ts";
import { passwordOptions, readPassword, readPdfFile } from "./open-pdf.ts";
import { openPageImages } from "./page-image.ts";
import { pageOptions } from "./page-option.ts";

const MAX_PAGES = 50;
const DPI = 110;

export const renderCommand = defineCommand({
  name: "render",
  summary: "Draw pages as PNG images",
  operands: { label: "<file>", min: 1, max: 1 },
  options: {
    ...pageOptions,
    dpi: { type: "string", value: "n", help: `Dots per inch, 20 to 400 (default ${DPI})` },
    ...folderOptions,
    ...passwordOptions,
  },
  details: `
Use it to look at a layout, a scan, a chart or a form. Form fields and annotations are drawn. At most ${MAX_PAGES} pages per call.
"scale" is pixels per point: divide pixel positions by it, and count from the bottom, for boxes in points.

Example: render form.pdf --pages 1-2 --out-dir pages`,
  run: async ({ operands: [path = ""], options }, io) => {
    const dpi = readInteger("dpi", options.dpi, { min: 20, max: 400 }) ?? DPI;
    const file = await readPdfFile(path, io);
    const images = await openPageImages(file, (await readPassword(options, io)) ?? "");
    try {
      const indexes = parseRanges(options.pages, images.pageCount, "page");
      if (indexes.length > MAX_PAGES && options.pages !== undefined)
        throw usageError(`--pages names ${indexes.length} pages; ${MAX_PAGES} is the maximum.`);
      const written: JsonObject[] = [];
      for (const index of indexes.slice(0, MAX_PAGES)) {
        const image = await images.draw(index, dpi / 72);
        const output = outputIn(options, `page-${index + 1}.png`, [file], io);
        const { width, height } = image;
        written.push({ page: index + 1, width, height, ...(await writeOutput(output, image.png)) });
      }
      const rest = indexes.slice(MAX_PAGES);
      return {
        file: path,
        images: written,
        scale: Math.round((dpi / 72) * 1000) / 1000,
        ...(rest.length === 0 ? {} : { truncated: true, nextPages: formatRanges(rest) }),
      };
    } finally {
      images.close();
    }
  },
});
