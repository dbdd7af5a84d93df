import { PDFDict, type PDFDocument, PDFName, PDFRawStream, PDFRef, type PDFStream } from "@cantoo/pdf-lib";
import { readInteger } from "../shared/bounded.ts";
import { defineCommand, type JsonObject } from "../shared/command.ts";
import { folderOptions, outputIn, writeOutput } from "../shared/output-file.ts";
import { parseRanges } from "../shared/range.ts";
import { toImageFile } from "./image-file.ts";
import { readNumber } from "./image-stream.ts";
import { openToRead, passwordOptions } from "./open-pdf.ts";
import { pageOptions } from "./page-option.ts";

const IMAGE_COUNT = 200;

export const imagesCommand = defineCommand({
  name: "images",
  summary: "Extract the images",
  operands: { label: "<file>", min: 1, max: 1 },
  options: {
    ...pageOptions,
    "min-size": {
      type: "string",
      value: "pixels",
      help: "Leave out images smaller than this in both directions",
    },
    ...folderOptions,
    ...passwordOptions,
  },
  details: `
Photographs come out byte by byte as they are (.jpg, .jp2), everything else as .png. An image on several pages comes
once. "skipped" says which could not be read, and why. At most ${IMAGE_COUNT} images a call: narrow with --pages.
Drawings made of lines are no images, and a scanned page is one.

Example: images report.pdf --pages 2-4 --min-size 50 --out-dir pictures`,
  run: async ({ operands: [path = ""], options }, io) => {
    const minSize = readInteger("min-size", options["min-size"], { min: 1, max: 100_000 }) ?? 1;
    const { document, file } = await openToRead(path, options, io);
    const found = findImages(document, parseRanges(options.pages, document.getPageCount(), "page"));
    const wanted = found.filter(({ width, height }) => width >= minSize || height >= minSize);
    const images: JsonObject[] = [];
    const skipped: JsonObject[] = [];
    for (const { page, number, width, height, stream } of wanted.slice(0, IMAGE_COUNT)) {
      const image = toImageFile(stream);
      if ("problem" in image) {
        skipped.push({ page, number, width, height, reason: image.problem });
        continue;
      }
      const output = outputIn(options, `page-${page}-image-${number}.${image.extension}`, [file], io);
      images.push({ page, number, width, height, ...(await writeOutput(output, image.bytes)) });
    }
    return { file: path, images, skipped, total: wanted.length, truncated: wanted.length > IMAGE_COUNT };
  },
});

interface FoundImage {
  readonly page: number;
  /** Counted on its page, from 1. */
  readonly number: number;
  readonly width: number;
  readonly height: number;
  readonly stream: PDFRawStream;
}

function findImages(document: PDFDocument, indexes: readonly number[]): readonly FoundImage[] {
  const seen = new Set<PDFStream>();
  const pages = document.getPages();
  return indexes.flatMap((index) => {
    const resources = pages[index]?.node.Resources();
    return collect(resources, seen, 0).map((stream, at) => ({
      page: index + 1,
      number: at + 1,
      width: readNumber(stream.dict, "Width", 0),
      height: readNumber(stream.dict, "Height", 0),
      stream,
    }));
  });
}

const DEPTH = 10;

/** The images of a page are in its resources, and in the resources of its form objects. */
function collect(
  resources: PDFDict | undefined,
  seen: Set<PDFStream>,
  depth: number,
): readonly PDFRawStream[] {
  const objects = resources?.lookup(PDFName.of("XObject"));
  if (!(objects instanceof PDFDict) || depth > DEPTH) return [];
  return objects.values().flatMap((value) => {
    const stream = value instanceof PDFRef ? objects.context.lookup(value) : value;
    if (!(stream instanceof PDFRawStream) || seen.has(stream)) return [];
    seen.add(stream);
    const kind = stream.dict.lookup(PDFName.of("Subtype"));
    if (kind === PDFName.of("Image")) return [stream];
    const inner = stream.dict.lookup(PDFName.of("Resources"));
    return inner instanceof PDFDict ? collect(inner, seen, depth + 1) : [];
  });
}
