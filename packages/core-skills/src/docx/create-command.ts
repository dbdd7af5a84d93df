import { clip } from "../shared/bounded.ts";
import { defineCommand, type OptionValues } from "../shared/command.ts";
import { parseInline } from "../shared/markdown-inline.ts";
import {
  clearProperties,
  propertyOptions,
  readProperties,
  writeProperties,
} from "../shared/office-properties.ts";
import { saveOffice } from "../shared/office-save.ts";
import { childrenOf, hasTag } from "../shared/office-xml.ts";
import { chooseOutput, outputOptions } from "../shared/output-file.ts";
import { usageError } from "../shared/script-error.ts";
import type { ScriptIo } from "../shared/script-io.ts";
import { type Description, makePage, PAGE_NUMBERS, readDescription } from "./description.ts";
import { contentOf, insertContent } from "./insert-content.ts";
import { makeDocument } from "./make-document.ts";
import { WordFile } from "./word-file.ts";

const options = {
  template: {
    type: "string",
    value: "file.docx",
    help: "Take styles, page, header and footer from this document",
  },
  header: { type: "string", help: "A line above each page; {page} and {pages} are numbers" },
  footer: { type: "string", help: "A line below each page" },
  "page-numbers": { type: "boolean", help: "Short for --footer '{page} / {pages}'" },
  "page-size": { type: "string", value: "name", help: "A4 (default), Letter or A5" },
  landscape: { type: "boolean", help: "Pages that are wider than high" },
  font: { type: "string", value: "name", help: "The font of the text (default Calibri)" },
  ...propertyOptions,
  ...outputOptions,
} as const;

export const createCommand = defineCommand({
  name: "create",
  summary: "Make a document from Markdown or JSON",
  operands: { label: "<source.md|source.json|->", min: 1, max: 1 },
  options,
  details: `Markdown: headings, paragraphs, **bold**, *italic*, \`code\`, [links](https://…), nested lists, tables,
> quotes, fenced code, --- rules, ![alt](image.png) on its own line, <!-- pagebreak -->,
[TOC] for a table of contents, text[^1] with [^1]: for footnotes.
JSON: {"title": "…", "header": "…", "footer": "…", "pageNumbers": true, "page": {"size": "A4", "orientation":
"landscape", "margin": 2.5}, "font": "…", "fontSize": 11, "blocks": [{"type": "heading", "level": 1, "text": "…"}, …]}
Example: create report.md --title "Report" --page-numbers --out report.docx`,
  run: async ({ operands: [source = ""], options: request }, io) => {
    const template = request.template === undefined ? undefined : await WordFile.open(request.template, io);
    const output = await chooseOutput(request, template === undefined ? [] : [template.pkg.file], io);
    const description = withOptions(await readDescription(source, io), request);
    const file = await makeFile(description, template, io);
    const saved = await saveOffice(file, output, { paragraphs: "any", elements: "any" });
    return { ...saved, blocks: description.blocks.length, properties: readProperties(file.pkg) };
  },
});

function withOptions(description: Description, request: OptionValues<typeof options>): Description {
  const { header, footer, font } = request;
  const pages = request["page-numbers"] === true ? PAGE_NUMBERS : undefined;
  const footerText = footer ?? pages;
  const size = request["page-size"];
  const isLandscape = request.landscape ?? description.page.isLandscape;
  const given = Object.keys(propertyOptions).flatMap((name) => {
    // The names of the table are options of this command.
    const value = request[name as keyof typeof propertyOptions];
    return value === undefined ? [] : [[name, value] as const];
  });
  if (font !== undefined && !/^[\p{L}\p{N} ._-]{1,60}$/u.test(font)) {
    throw usageError(`${clip(font, 60)} is not a font name.`);
  }
  return {
    ...description,
    properties: { ...description.properties, ...Object.fromEntries(given) },
    header: header === undefined ? description.header : parseInline(header),
    footer: footerText === undefined ? description.footer : parseInline(footerText),
    font: font ?? description.font,
    page:
      size === undefined
        ? { ...description.page, isLandscape }
        : { ...makePage(size, isLandscape, 2.5), margin: description.page.margin },
  };
}

async function makeFile(
  description: Description,
  template: WordFile | undefined,
  io: ScriptIo,
): Promise<WordFile> {
  const made = await makeDocument(description, io);
  if (template === undefined) return made;
  const body = template.editBody();
  for (const element of childrenOf(body)) if (!hasTag(element, "w:sectPr")) body.removeChild(element);
  insertContent(template, made, contentOf(made), undefined);
  const { properties } = description;
  clearProperties(template.pkg);
  writeProperties(template.pkg, properties);
  return template;
}
