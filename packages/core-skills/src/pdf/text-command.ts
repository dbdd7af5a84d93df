import { boundText, reachOf, textOptions } from "../shared/bounded.ts";
import { defineCommand } from "../shared/command.ts";
import { formatRanges, parseRanges } from "../shared/range.ts";
import { usageError } from "../shared/script-error.ts";
import { passwordOptions, readPassword, readPdfFile } from "./open-pdf.ts";
import { pageOptions } from "./page-option.ts";
import { openTextLayer, type TextLayer } from "./text-layer.ts";
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
    ...textOptions,
    ...passwordOptions,
  },
  details: `
Each page begins with a line "=== page 3 ===". Where "truncated" is true, call again with --offset set to
"nextOffset". "readPages" says how far it came. "emptyPages" have no text: they are scans or drawings, and reading
them takes OCR, which this is not.
Use --order file where columns of text come out interleaved.

Example: text report.pdf --pages 1-5`,
  run: async ({ operands: [path = ""], options }, io) => {
    const order = options.order ?? "lines";
    if (order !== "lines" && order !== "file") throw usageError("--order is lines or file.");
    const file = await readPdfFile(path, io);
    const layer = await openTextLayer(file, (await readPassword(options, io)) ?? "");
    try {
      const indexes = parseRanges(options.pages, layer.pageCount, "page");
      const read = await readPages(layer, indexes, { order, reach: reachOf(options) });
      const part = boundText(read.text, options);
      return {
        file: path,
        pages: layer.pageCount,
        readPages: formatRanges(read.indexes),
        emptyPages: formatRanges(read.empty),
        ...part,
        // Where reading ended early, nobody knows how long the whole is.
        totalLength: read.indexes.length < indexes.length ? undefined : part.totalLength,
      };
    } finally {
      await layer.close();
    }
  },
});

interface Reading {
  readonly text: string;
  readonly indexes: readonly number[];
  readonly empty: readonly number[];
}

/** Reads pages until there is more than the answer takes. */
async function readPages(
  layer: TextLayer,
  indexes: readonly number[],
  { order, reach }: { readonly order: "lines" | "file"; readonly reach: number },
): Promise<Reading> {
  const parts: string[] = [];
  const empty: number[] = [];
  let length = 0;
  for (const index of indexes) {
    if (length > reach) break;
    const runs = await layer.readPage(index);
    const text = order === "lines" ? formatLines(groupLines(runs)) : runs.map((run) => run.text).join(" ");
    if (text.trim() === "") empty.push(index);
    const part = `=== page ${index + 1} ===\n${text.trim()}\n`;
    parts.push(part);
    length += part.length + 1;
  }
  return { text: parts.join("\n"), indexes: indexes.slice(0, parts.length), empty };
}
