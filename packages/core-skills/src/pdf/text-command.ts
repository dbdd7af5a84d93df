import { boundText, reachOf, textOptions } from "../shared/bounded.ts";
import { defineCommand } from "../shared/command.ts";
import { formatRanges, parseRanges } from "../shared/range.ts";
import { usageError } from "../shared/script-error.ts";
import { passwordOptions, readPassword, readPdfFile } from "./open-pdf.ts";
import { pageOptions } from "./page-option.ts";
import { MAX_SCANS, openScan, type Scan } from "./recognize.ts";
import { allRuns, openTextLayer, type TextLayer } from "./text-layer.ts";
import { formatLines, groupLines } from "./text-line.ts";

export const textCommand = defineCommand({
  name: "text",
  summary: "Read the text, page by page",
  operands: { label: "<file>", min: 1, max: 1 },
  options: {
    ...pageOptions,
    order: {
      type: "string",
      value: "kind",
      help: "lines (by position, default) or file (as written in the file)",
    },
    ocr: {
      type: "string",
      value: "languages",
      help: `Read pages without text from their image (needs Tesseract): eng, deu+eng; at most ${MAX_SCANS} pages a call`,
    },
    ...textOptions,
    ...passwordOptions,
  },
  details: `
Each page begins with a line "=== page 3 ===". When "truncated" is true, call again with --offset set to
"nextOffset". "readPages" says which pages were read. Values of form fields and free-text annotations are part of the
text; checked boxes are [x]. Comments of reviewers are not. "emptyPages" have no text: most are scans or drawings.
Look at them with render, or read them with --ocr; "ocrPages" were read that way and may have errors. "failedPages" are
damaged.
Use --order file when the text of columns is interleaved.

Example: text report.pdf --pages 1-5`,
  run: async ({ operands: [path = ""], options }, io) => {
    const order = options.order ?? "lines";
    if (order !== "lines" && order !== "file") throw usageError("--order is lines or file.");
    const file = await readPdfFile(path, io);
    const password = (await readPassword(options, io)) ?? "";
    const layer = await openTextLayer(file, password);
    const scan =
      options.ocr === undefined ? undefined : await openScan({ file, password, languages: options.ocr });
    try {
      const indexes = parseRanges(options.pages, layer.pageCount, "page");
      const read = await readPages(layer, indexes, { order, reach: reachOf(options), scan });
      const part = boundText(read.text, options);
      return {
        file: path,
        pages: layer.pageCount,
        readPages: formatRanges(read.indexes),
        emptyPages: formatRanges(read.empty),
        ...(read.scanned.length === 0 ? {} : { ocrPages: formatRanges(read.scanned) }),
        ...(read.failed.length === 0 ? {} : { failedPages: formatRanges(read.failed) }),
        ...(read.formValues === 0 ? {} : { formValues: read.formValues }),
        ...part,
        // The length of the whole is unknown when reading stopped early.
        totalLength: read.indexes.length < indexes.length ? undefined : part.totalLength,
      };
    } finally {
      scan?.close();
      await layer.close();
    }
  },
});

interface Reading {
  readonly text: string;
  readonly indexes: readonly number[];
  readonly empty: readonly number[];
  readonly scanned: readonly number[];
  readonly failed: readonly number[];
  readonly formValues: number;
}

interface ReadRequest {
  readonly order: "lines" | "file";
  readonly reach: number;
  /** Reads pages without text. */
  readonly scan: Scan | undefined;
}

/** Reads pages until there is more than the answer takes. Damaged pages are left out, unless all are. */
async function readPages(
  layer: TextLayer,
  indexes: readonly number[],
  { order, reach, scan }: ReadRequest,
): Promise<Reading> {
  const parts: string[] = [];
  const empty: number[] = [];
  const scanned: number[] = [];
  const failed: number[] = [];
  let [length, formValues, scans] = [0, 0, 0];
  let failure: unknown;
  for (const index of indexes) {
    if (length > reach) break;
    const page = await layer.readPage(index).catch((error: unknown) => {
      failure ??= error;
      return undefined;
    });
    if (page === undefined) failed.push(index);
    formValues += page?.formValues ?? 0;
    const runs = page === undefined ? [] : allRuns(page);
    let text = order === "lines" ? formatLines(groupLines(runs)) : runs.map((run) => run.text).join(" ");
    if (text.trim() === "" && page !== undefined) {
      scans += 1;
      if (scan !== undefined && scans <= MAX_SCANS) text = await scan.read(index);
      (text.trim() === "" ? empty : scanned).push(index);
    }
    const part = `=== page ${index + 1} ===\n${text.trim()}\n`;
    parts.push(part);
    length += part.length + 1;
  }
  if (failed.length === indexes.length && failure !== undefined) throw failure;
  return {
    text: parts.join("\n"),
    indexes: indexes.slice(0, parts.length),
    empty,
    scanned,
    failed,
    formValues,
  };
}
