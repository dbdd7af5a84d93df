import { readInteger } from "../shared/bounded.ts";
import { defineCommand } from "../shared/command.ts";
import { saveOffice } from "../shared/office-save.ts";
import { chooseOutput, editOptions } from "../shared/output-file.ts";
import { usageError } from "../shared/script-error.ts";
import type { XmlElement } from "../shared/xml.ts";
import { readDescription } from "./description.ts";
import { contentOf, insertContent } from "./insert-content.ts";
import { makeDocument } from "./make-document.ts";
import { findHeading, sectionOf } from "./section.ts";
import { WordFile } from "./word-file.ts";

export const addCommand = defineCommand({
  name: "add",
  summary: "Add Markdown or JSON blocks to a document, in the styles that it has",
  operands: { label: "<file.docx> <source.md|source.json|->", min: 2, max: 2 },
  options: {
    after: { type: "string", value: "heading", help: "Directly after this heading" },
    "end-of": { type: "string", value: "heading", help: "At the end of the section under this heading" },
    nth: { type: "string", value: "n", help: "Which, when several headings have that text" },
    ...editOptions,
  },
  details: `Without --after or --end-of the content goes to the end of the document.
Example: echo "## Outlook" | … add report.docx - --end-of "Summary" --out report-2.docx`,
  run: async ({ operands: [path = "", source = ""], options }, io) => {
    if (options.after !== undefined && options["end-of"] !== undefined) {
      throw usageError("--after and --end-of exclude each other.");
    }
    const file = await WordFile.open(path, io);
    const output = await chooseOutput(options, [file.pkg.file], io);
    const description = await readDescription(source, io);
    const nth = readInteger("nth", options.nth, { min: 1, max: 10_000 });
    const after = findPlace(file, options.after, options["end-of"], nth);
    const made = await makeDocument(description, io);
    insertContent(file, made, contentOf(made), after);
    return { ...(await saveOffice(file, output)), blocks: description.blocks.length };
  },
});

function findPlace(
  file: WordFile,
  after: string | undefined,
  endOf: string | undefined,
  nth: number | undefined,
): XmlElement | undefined {
  if (after !== undefined) return findHeading(file, after, nth).element;
  return endOf === undefined ? undefined : sectionOf(file, findHeading(file, endOf, nth)).at(-1);
}
