import { PDFDict, type PDFDocument, PDFName } from "@cantoo/pdf-lib";
import { defineCommand } from "../shared/command.ts";
import { chooseOutput, editOptions } from "../shared/output-file.ts";
import { usageError } from "../shared/script-error.ts";
import { openToChange, passwordOptions } from "./open-pdf.ts";
import { saveEdited, warnOfChange } from "./save-pdf.ts";

export const metadataCommand = defineCommand({
  name: "metadata",
  summary: "Set title, author and the like",
  operands: { label: "<file>", min: 1, max: 1 },
  options: {
    title: { type: "string", help: "The title" },
    author: { type: "string", help: "The author" },
    subject: { type: "string", help: "The subject" },
    keyword: { type: "string", multiple: true, help: "A keyword" },
    language: { type: "string", help: "The language of the text, as en or de-CH" },
    ...editOptions,
    ...passwordOptions,
  },
  details: `
To read metadata, use info. An empty text takes a value away. A second copy of the metadata (XMP), which would now
contradict, is dropped.

Example: metadata report.pdf --title "Annual report" --author "A. Writer" --in-place`,
  run: async ({ operands: [path = ""], options }, io) => {
    const { title, author, subject, keyword, language } = options;
    const values = { title, author, subject, keyword, language };
    const names = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : name));
    if (names.length === 0)
      throw usageError("Specify a property, as --title.", "To read metadata, use info.");
    const opened = await openToChange(path, options, io);
    const output = await chooseOutput(options, [opened.file], io);
    const { document } = opened;
    if (title !== undefined) document.setTitle(title);
    if (author !== undefined) document.setAuthor(author);
    if (subject !== undefined) document.setSubject(subject);
    if (keyword !== undefined) document.setKeywords([...keyword]);
    if (language !== undefined) document.setLanguage(language);
    removeEmpty(document, names);
    document.catalog.delete(PDFName.of("Metadata"));
    const warnings = warnOfChange(opened);
    return { ...(await saveEdited(opened, output)), set: names, warnings };
  },
});

const keys: ReadonlyMap<string, string> = new Map([
  ["title", "Title"],
  ["author", "Author"],
  ["subject", "Subject"],
  ["keyword", "Keywords"],
]);

function removeEmpty(document: PDFDocument, names: readonly string[]): void {
  const info = document.context.lookup(document.context.trailerInfo.Info);
  const read = {
    title: document.getTitle(),
    author: document.getAuthor(),
    subject: document.getSubject(),
    keyword: document.getKeywords(),
    language: document.getLanguage(),
  };
  for (const [name, value] of Object.entries(read)) {
    if (value !== "" || !names.includes(name)) continue;
    if (name === "language") document.catalog.delete(PDFName.of("Lang"));
    else if (info instanceof PDFDict) info.delete(PDFName.of(keys.get(name) ?? ""));
  }
}
