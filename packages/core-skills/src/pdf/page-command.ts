import { degrees } from "@cantoo/pdf-lib";
import { readInteger } from "../shared/bounded.ts";
import { defineCommand, type JsonObject } from "../shared/command.ts";
import { chooseOutput, editOptions, folderOptions, outputIn } from "../shared/output-file.ts";
import { formatRanges, parseRanges } from "../shared/range.ts";
import { ScriptError, usageError } from "../shared/script-error.ts";
import { dropXfa } from "./form-field.ts";
import { keepPages } from "./keep-pages.ts";
import { type OpenedPdf, openBytes, openToChange, passwordOptions, readPassword } from "./open-pdf.ts";
import { pageOptions } from "./page-option.ts";
import { pagesOf, saveEdited, savePdf, warnOfChange } from "./save-pdf.ts";

const operands = { label: "<file>", min: 1, max: 1 };

export const extractCommand = defineCommand({
  name: "extract",
  summary: "Keep some pages, in the order they are named",
  operands,
  options: { ...pageOptions, ...editOptions, ...passwordOptions },
  details: `
Nothing of the other pages stays in the new file, and no bookmark to them. Name all pages in another order to reorder a document.

Example: extract report.pdf --pages 3,1-2 --out part.pdf`,
  run: async ({ operands: [path = ""], options }, io) => {
    if (options.pages === undefined) throw usageError("Specify the pages to keep: --pages 1-3.");
    const opened = await openToChange(path, options, io);
    const output = await chooseOutput(options, [opened.file], io);
    const kept = parseRanges(options.pages, opened.document.getPageCount(), "page");
    return saveKept(opened, kept, output);
  },
});

export const deleteCommand = defineCommand({
  name: "delete",
  summary: "Delete pages",
  operands,
  options: { ...pageOptions, ...editOptions, ...passwordOptions },
  details:
    "Nothing of the pages stays in the new file.\n\nExample: delete report.pdf --pages 2,last --out short.pdf",
  run: async ({ operands: [path = ""], options }, io) => {
    if (options.pages === undefined) throw usageError("Specify the pages to delete: --pages 2.");
    const opened = await openToChange(path, options, io);
    const output = await chooseOutput(options, [opened.file], io);
    const count = opened.document.getPageCount();
    const gone = new Set(parseRanges(options.pages, count, "page"));
    const kept = parseRanges(undefined, count, "page").filter((index) => !gone.has(index));
    if (kept.length === 0) throw usageError("Deleting these pages would leave no page.");
    return saveKept(opened, kept, output);
  },
});

async function saveKept(
  opened: OpenedPdf,
  kept: readonly number[],
  output: Parameters<typeof savePdf>[1],
): Promise<JsonObject> {
  const warnings = [...warnOfChange(opened), ...dropXfa(opened.document, opened.file.path)];
  keepPages(opened.document, kept);
  const saved = await savePdf(opened.document, output, { pages: pagesOf(opened, kept), mayLose: LINKED });
  return { ...saved, kept: formatRanges(kept), warnings };
}

/** Annotations that depend on pages which are left out. */
const LINKED = ["Link", "Popup"];

const MAX_PARTS = 500;

export const splitCommand = defineCommand({
  name: "split",
  summary: "Split a file into several",
  operands,
  options: {
    every: { type: "string", value: "n", help: "Pages in each part (default 1)" },
    at: { type: "string", value: "pages", help: "Instead: begin a new part at each of these pages, as 4,9" },
    ...folderOptions,
    ...passwordOptions,
  },
  details: `
Parts are named after the file and their pages: report-1-3.pdf.

Example: split report.pdf --every 10 --out-dir parts`,
  run: async ({ operands: [path = ""], options }, io) => {
    const opened = await openToChange(path, options, io);
    const parts = cut(opened.document.getPageCount(), options);
    if (parts.length > MAX_PARTS)
      throw usageError(`That makes ${parts.length} files; ${MAX_PARTS} are the most.`);
    const stem = opened.file.name.replace(/\.pdf$/i, "").replace(/^\.+/, "") || "part";
    const outputs = parts.map((kept) =>
      outputIn(options, `${stem}-${formatRanges(kept)}.pdf`, [opened.file], io),
    );
    const password = await readPassword(options, io);
    const files: JsonObject[] = [];
    for (const [at, kept] of parts.entries()) {
      const output = outputs[at];
      if (output === undefined) continue;
      // Each part is cut from a fresh copy: cutting takes the rest away for good.
      const { document } = await openBytes(opened.file, password);
      dropXfa(document, path);
      keepPages(document, kept);
      const saved = await savePdf(document, output, { pages: pagesOf(opened, kept), mayLose: LINKED });
      files.push({ ...saved.output, pages: formatRanges(kept) });
    }
    return { files, warnings: [...warnOfChange(opened), ...dropXfa(opened.document, path)] };
  },
});

function cut(
  count: number,
  options: { readonly every?: string | undefined; readonly at?: string | undefined },
): readonly (readonly number[])[] {
  if (options.at !== undefined && options.every !== undefined)
    throw usageError("Give --every or --at, not both.");
  const every = readInteger("every", options.every, { min: 1, max: 100_000 }) ?? 1;
  const starts =
    options.at === undefined
      ? Array.from({ length: Math.ceil(count / every) }, (_, part) => part * every)
      : [...new Set([0, ...parseRanges(options.at, count, "page")])].sort((a, b) => a - b);
  return starts.map((start, part) => {
    const end = starts[part + 1] ?? count;
    return Array.from({ length: end - start }, (_, index) => start + index);
  });
}

export const rotateCommand = defineCommand({
  name: "rotate",
  summary: "Turn pages clockwise",
  operands,
  options: {
    by: { type: "string", value: "degrees", help: "90, 180, 270 or -90" },
    ...pageOptions,
    ...editOptions,
    ...passwordOptions,
  },
  details:
    "The turn is added to the one a page has.\n\nExample: rotate scan.pdf --by 90 --pages 2- --out turned.pdf",
  run: async ({ operands: [path = ""], options }, io) => {
    const angle = readInteger("by", options.by, { min: -270, max: 270 });
    if (angle === undefined || angle % 90 !== 0 || angle === 0)
      throw usageError("--by is 90, 180, 270 or -90.");
    const opened = await openToChange(path, options, io);
    const output = await chooseOutput(options, [opened.file], io);
    const pages = opened.document.getPages();
    const turned = parseRanges(options.pages, pages.length, "page");
    for (const index of turned) {
      const page = pages[index];
      if (page === undefined) throw new ScriptError("FAILED", `Page ${index + 1} is missing.`);
      page.setRotation(degrees((((page.getRotation().angle + angle) % 360) + 360) % 360));
    }
    const warnings = warnOfChange(opened);
    return {
      ...(await saveEdited(opened, output)),
      rotated: formatRanges(turned),
      by: angle,
      warnings,
    };
  },
});
