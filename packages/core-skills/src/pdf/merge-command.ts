import { defineCommand } from "../shared/command.ts";
import { chooseOutput, outputOptions } from "../shared/output-file.ts";
import { appendDocument } from "./append-document.ts";
import { dropXfa } from "./form-field.ts";
import { type OpenedPdf, openToChange, passwordOptions } from "./open-pdf.ts";
import { pagesOf, savePdf, warnOfChange } from "./save-pdf.ts";

export const mergeCommand = defineCommand({
  name: "merge",
  summary: "Join several files into one",
  operands: { label: "<file> <file...>", min: 2, max: 200 },
  options: { ...outputOptions, ...passwordOptions },
  details: `
Metadata and bookmarks are those of the first file. Form fields of all files are kept; one whose name is taken
is renamed, and "renamedFields" says how. One password is tried on all files.

Example: merge cover.pdf report.pdf --out all.pdf`,
  run: async ({ operands, options }, io) => {
    const opened: OpenedPdf[] = [];
    for (const path of operands) opened.push(await openToChange(path, options, io));
    const output = await chooseOutput(
      options,
      opened.map(({ file }) => file),
      io,
    );
    const [first, ...rest] = opened;
    if (first === undefined) return {};
    const warnings = opened.flatMap((each) => [
      ...warnOfChange(each),
      ...dropXfa(each.document, each.file.path),
    ]);
    const parts = opened.map(({ file, document }) => ({ file: file.path, pages: document.getPageCount() }));
    const pages = opened.flatMap((each) => pagesOf(each));
    const renamed = rest.flatMap(({ document }) => appendDocument(first.document, document));
    const saved = await savePdf(first.document, output, { pages, isWhole: true });
    return { ...saved, parts, renamedFields: renamed.slice(0, 100), warnings };
  },
});
