import type { Blocks } from "../shared/block.ts";
import { boundText, clip, readInteger, textOptions } from "../shared/bounded.ts";
import { defineCommand } from "../shared/command.ts";
import { attributeOf, childrenOf, createElement } from "../shared/office-xml.ts";
import { chooseOutput, outputOptions, writeOutput } from "../shared/output-file.ts";
import { usageError } from "../shared/script-error.ts";
import { toHtml } from "./html-writer.ts";
import { toMarkdown } from "./markdown-writer.ts";
import { readBlocks } from "./read-block.ts";
import { findHeading, sectionOf, trackedChanges } from "./section.ts";
import { toText } from "./text-writer.ts";
import { WordFile } from "./word-file.ts";

const writers = { markdown: toMarkdown, text: toText, html: toHtml };

export const readCommand = defineCommand({
  name: "read",
  summary: "Read a document as Markdown, text or HTML, whole or one section of it",
  operands: { label: "<file.docx>", min: 1, max: 1 },
  options: {
    format: { type: "string", value: "kind", help: "markdown (default), text or html" },
    heading: { type: "string", help: "Only the section under this heading" },
    nth: { type: "string", value: "n", help: "Which, when several headings have that text" },
    ...textOptions,
    ...outputOptions,
  },
  details: [
    "The text is as it would be after all tracked changes were accepted. With --out the whole text goes to a file",
    "(convert to .md, .txt or .html), and --limit and --offset do not matter.",
  ].join("\n"),
  run: async ({ operands: [path = ""], options }, io) => {
    const format = options.format ?? "markdown";
    if (!isFormat(format)) throw usageError(`--format is markdown, text or html, not ${clip(format, 40)}.`);
    const file = await WordFile.open(path, io);
    const blocks =
      options.heading === undefined ? readWhole(file) : readSection(file, options.heading, options.nth);
    const text = writers[format](blocks);
    const notice = { file: path, format, trackedChanges: hasChanges(file) };
    if (options.out === undefined) return { ...notice, ...boundText(text, options) };
    const output = await chooseOutput(options, [file.pkg.file], io);
    return { ...notice, written: await writeOutput(output, Buffer.from(`${text}\n`)) };
  },
});

function isFormat(format: string): format is keyof typeof writers {
  return Object.hasOwn(writers, format);
}

function readWhole(file: WordFile): Blocks {
  return [
    ...readBlocks(file.body, file, file.main),
    ...readNotes(file, "footnotes"),
    ...readNotes(file, "endnotes"),
  ];
}

function readSection(file: WordFile, wanted: string, nth: string | undefined): Blocks {
  const heading = findHeading(file, wanted, readInteger("nth", nth, { min: 1, max: 10_000 }));
  const section = createElement(file.body, "w:body");
  for (const element of sectionOf(file, heading)) section.appendChild(element.cloneNode(true));
  return readBlocks(section, file, file.main);
}

/** Notes stand at the end, each after the mark that the text has for it. */
function readNotes(file: WordFile, kind: "footnotes" | "endnotes"): Blocks {
  const part = file.part(kind);
  if (part === undefined) return [];
  const isEnd = kind === "endnotes";
  return childrenOf(file.pkg.xml(part), isEnd ? "w:endnote" : "w:footnote")
    .filter((note) => attributeOf(note, "w:type") === undefined)
    .map((note) => {
      const mark = `[^${isEnd ? "e" : ""}${attributeOf(note, "w:id") ?? ""}]: `;
      return {
        type: "paragraph",
        content: [{ text: `${mark}${toText(readBlocks(note, file, part)).trim()}` }],
      };
    });
}

function hasChanges(file: WordFile): boolean {
  const { insertions, deletions } = trackedChanges(file);
  return insertions + deletions > 0;
}
