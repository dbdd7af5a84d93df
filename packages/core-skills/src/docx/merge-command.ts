import { defineCommand } from "../shared/command.ts";
import { saveOffice } from "../shared/office-save.ts";
import { createFragment, insertAfter, removeNode } from "../shared/office-xml.ts";
import { chooseOutput, outputOptions } from "../shared/output-file.ts";
import { usageError } from "../shared/script-error.ts";
import { contentOf, insertContent } from "./insert-content.ts";
import { findHeading, sectionOf } from "./section.ts";
import { WordFile } from "./word-file.ts";

export const mergeCommand = defineCommand({
  name: "merge",
  summary: "Join documents, one after the other",
  operands: { label: "<first.docx> <next.docx...>", min: 2, max: 100 },
  options: {
    "no-page-break": {
      type: "boolean",
      help: "Let each document begin on the page where the one before ends",
    },
    ...outputOptions,
  },
  details: `Page settings, headers and footers are those of the first document, and so are styles that have the same name.
Lists, images, links and notes come along; comments and section settings of the later documents do not.`,
  run: async ({ operands, options }, io) => {
    const files: WordFile[] = [];
    for (const path of operands) files.push(await WordFile.open(path, io));
    const [first, ...rest] = files;
    if (first === undefined) throw usageError("No file to merge was given.");
    const output = await chooseOutput(
      options,
      files.map(({ pkg }) => pkg.file),
      io,
    );
    let comments = 0;
    let sections = 0;
    for (const next of rest) {
      if (options["no-page-break"] !== true) breakPage(first);
      const dropped = insertContent(first, next, contentOf(next), undefined);
      comments += dropped.comments;
      sections += dropped.sections;
    }
    const saved = await saveOffice(first, output);
    return { ...saved, documents: files.length, dropped: { comments, sections } };
  },
});

function breakPage(file: WordFile): void {
  const body = file.editBody();
  const [paragraph] = createFragment(body, '<w:p><w:r><w:br w:type="page"/></w:r></w:p>');
  const last = contentOf(file).at(-1);
  if (paragraph === undefined || last === undefined) return;
  insertAfter(paragraph, last);
}

export const extractCommand = defineCommand({
  name: "extract",
  summary: "Keep the sections under one or more headings, in a document of their own",
  operands: { label: "<file.docx>", min: 1, max: 1 },
  options: {
    heading: { type: "string", multiple: true, help: "The heading of a section to keep" },
    ...outputOptions,
  },
  run: async ({ operands: [path = ""], options }, io) => {
    const wanted = options.heading ?? [];
    if (wanted.length === 0) throw usageError("Specify the sections to keep: --heading <text>.");
    const file = await WordFile.open(path, io);
    const output = await chooseOutput(options, [file.pkg.file], io);
    const kept = new Set(wanted.flatMap((heading) => sectionOf(file, findHeading(file, heading, undefined))));
    file.editBody();
    for (const element of contentOf(file)) if (!kept.has(element)) removeNode(element);
    const saved = await saveOffice(file, output, { paragraphs: "any", elements: "any" });
    return { ...saved, elements: kept.size };
  },
});
