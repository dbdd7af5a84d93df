import type { Blocks, Inlines } from "../shared/block.ts";
import { isJsonObject, parseBlocks, readNumber, readTextField, wrong } from "../shared/block-json.ts";
import type { JsonObject } from "../shared/command.ts";
import { readJson, readText } from "../shared/input-file.ts";
import { parseMarkdown } from "../shared/markdown.ts";
import { parseInline } from "../shared/markdown-inline.ts";
import { type Properties, propertyOptions } from "../shared/office-properties.ts";
import type { ScriptIo } from "../shared/script-io.ts";

/** A document to be made. */
export interface Description {
  readonly blocks: Blocks;
  readonly properties: Properties;
  /** `{page}` and `{pages}` stand for the numbers. */
  readonly header?: Inlines | undefined;
  readonly footer?: Inlines | undefined;
  readonly page: Page;
  readonly font: string;
  /** In points. */
  readonly fontSize: number;
}

/** In twentieths of a point, as Word counts. */
export interface Page {
  readonly width: number;
  readonly height: number;
  readonly isLandscape: boolean;
  readonly margin: number;
}

const sizes = { A4: [11_906, 16_838], Letter: [12_240, 15_840], A5: [8_391, 11_906] } as const;
const TWIPS_PER_CM = 567;
const fields = [
  ...["blocks", "markdown", "header", "footer", "pageNumbers", "page", "font", "fontSize"],
  ...Object.keys(propertyOptions),
];

/** Reads a description from Markdown or JSON: a file, `-` for standard input, or JSON as the argument itself. */
export async function readDescription(source: string, io: ScriptIo): Promise<Description> {
  const isInline = /^\s*[[{]/.test(source);
  if (isInline || source.toLowerCase().endsWith(".json")) return fromJson(await readJson(source, io));
  const text = await readText(source, io);
  const isJson = source === "-" && /^\s*[[{]\s*["{[\]}]/.test(text);
  return isJson ? fromJson(await readJson(text, io)) : fromFields({}, parseMarkdown(text));
}

function fromJson(value: Awaited<ReturnType<typeof readJson>>): Description {
  if (Array.isArray(value)) return fromFields({}, parseBlocks(value));
  if (!isJsonObject(value)) throw wrong("The description", "an object with blocks, or a list of blocks");
  const unknown = Object.keys(value).find((key) => !fields.includes(key));
  if (unknown !== undefined)
    throw wrong(`The field ${JSON.stringify(unknown.slice(0, 40))}`, `one of ${fields.join(", ")}`);
  const markdown = readTextField(value, "markdown", "description");
  return fromFields(value, markdown === undefined ? parseBlocks(value["blocks"]) : parseMarkdown(markdown));
}

function fromFields(object: JsonObject, blocks: Blocks): Description {
  const text = (key: string) => readTextField(object, key, "description");
  const inlines = (value: string | undefined) => (value === undefined ? undefined : parseInline(value));
  const properties = Object.fromEntries(Object.keys(propertyOptions).map((name) => [name, text(name)]));
  return {
    blocks,
    properties,
    header: inlines(text("header")),
    footer: inlines(text("footer") ?? (object["pageNumbers"] === true ? PAGE_NUMBERS : undefined)),
    page: readPage(object["page"] ?? {}),
    font: text("font") ?? "Calibri",
    fontSize: readNumber(object, "fontSize", "description", 6, 72) ?? 11,
  };
}

export const PAGE_NUMBERS = "{page} / {pages}";

function readPage(value: JsonObject[string]): Page {
  if (!isJsonObject(value))
    throw wrong("page", 'an object: {"size": "A4", "orientation": "landscape", "margin": 2}');
  return makePage(
    readTextField(value, "size", "page") ?? "A4",
    value["orientation"] === "landscape",
    readNumber(value, "margin", "page", 0, 10) ?? 2.5,
  );
}

/** The margin is in centimetres. */
export function makePage(size: string, isLandscape: boolean, margin: number): Page {
  const known = Object.entries(sizes).find(([name]) => name.toLowerCase() === size.toLowerCase());
  if (known === undefined) throw wrong("The page size", `one of ${Object.keys(sizes).join(", ")}`);
  const [width, height] = known[1];
  return { width, height, isLandscape, margin: Math.round(margin * TWIPS_PER_CM) };
}
