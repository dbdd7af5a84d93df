import { resolve } from "node:path";
import { defineCommand } from "../shared/command.ts";
import { readJson, readText } from "../shared/input-file.ts";
import { chooseOutput, outputOptions } from "../shared/output-file.ts";
import { usageError } from "../shared/script-error.ts";
import type { ScriptIo } from "../shared/script-io.ts";
import { compose } from "./compose.ts";
import { type Description, describeJson, describeMarkdown, type Settings } from "./description.ts";
import { fontOption } from "./font.ts";
import { savePdf } from "./save-pdf.ts";

export const createCommand = defineCommand({
  name: "create",
  summary: "Make a document from Markdown or a JSON description",
  operands: { label: "<file.md | file.json | ->", min: 1, max: 1 },
  options: {
    format: { type: "string", value: "kind", help: "markdown or json, where the name does not say it" },
    title: { type: "string", help: "The title in the metadata" },
    author: { type: "string", help: "The author in the metadata" },
    "page-size": { type: "string", value: "name", help: "A4 (default), A3, A5, Letter or Legal" },
    landscape: { type: "boolean", help: "Wider than high" },
    "page-numbers": { type: "boolean", help: "Number the pages at the foot" },
    ...fontOption,
    "bold-font": { type: "string", value: "file.ttf", help: "With --font, the font of bold text" },
    replace: { type: "string", value: "text", help: "Write this for characters that the font lacks" },
    ...outputOptions,
  },
  details: `
Markdown: headings, paragraphs, **bold**, *italic*, \`code\`, [links](https://example.org), lists, tables, fenced
code, > quotes, ---, ![text](picture.png) on a line of its own, and <!-- pagebreak -->.

JSON: {"title": "…", "pageSize": "A4", "landscape": false, "margin": 56, "fontSize": 11, "pageNumbers": true,
"blocks": [
  {"type": "heading", "level": 1, "text": "Report"}, "A paragraph with **bold** text",
  {"type": "list", "ordered": true, "items": ["one", {"text": "two", "items": ["inner"]}]},
  {"type": "table", "header": ["Item", "Price"], "align": ["left", "right"], "rows": [["Pen", 1.2]]},
  {"type": "image", "path": "chart.png", "width": 300}, {"type": "code", "text": "…"}, {"type": "quote", "text": "…"},
  {"type": "rule"}, {"type": "pageBreak"}]}
Pictures are PNG or JPEG, and their paths are meant from the description. The built-in fonts cover Western European
text, and other characters are an error that names them; --font embeds a font that has them. Right-to-left text
is ordered and joined as the script needs; tables keep their columns from left to right.

Example: create report.md --page-numbers --out report.pdf`,
  run: async ({ operands: [path = ""], options }, io) => {
    const description = await readDescription(path, options.format, io);
    const settings: Settings = {
      ...description.settings,
      ...(options.title === undefined ? {} : { title: options.title }),
      ...(options.author === undefined ? {} : { author: options.author }),
      ...(options["page-size"] === undefined ? {} : { pageSize: options["page-size"] }),
      ...(options.landscape === undefined ? {} : { landscape: options.landscape }),
      ...(options["page-numbers"] === undefined ? {} : { pageNumbers: options["page-numbers"] }),
    };
    if (options["bold-font"] !== undefined && options.font === undefined)
      throw usageError("--bold-font needs --font.");
    const base = path === "-" || isInline(path) ? undefined : path;
    const output = await chooseOutput(
      options,
      base === undefined ? [] : [{ path, absolute: resolve(io.cwd, path) }],
      io,
    );
    const { document, replaced, warnings } = await compose(
      { ...description, settings },
      { base, replace: options.replace, fonts: { regular: options.font, bold: options["bold-font"] } },
      io,
    );
    return {
      ...(await savePdf(document, output, { pages: document.getPages().map(() => undefined) })),
      replaced,
      ...(warnings.length === 0 ? {} : { warnings }),
    };
  },
});

async function readDescription(path: string, format: string | undefined, io: ScriptIo): Promise<Description> {
  const kind = format ?? (isInline(path) || /\.json$/i.test(path) ? "json" : "markdown");
  if (kind === "json") return describeJson(await readJson(path, io));
  if (kind === "markdown") return describeMarkdown(await readText(path, io));
  throw usageError("--format is markdown or json.");
}

/** The argument may be the description itself. */
function isInline(path: string): boolean {
  return /^\s*[[{]/.test(path);
}
