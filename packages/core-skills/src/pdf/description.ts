import type { Alignment, Block, Blocks } from "../shared/block.ts";
import { clip } from "../shared/bounded.ts";
import type { JsonObject, JsonValue } from "../shared/command.ts";
import { parseMarkdown } from "../shared/markdown.ts";
import { parseInline } from "../shared/markdown-inline.ts";
import { inputError, type ScriptError } from "../shared/script-error.ts";

/** What a document is made from. */
export interface Description {
  readonly settings: Settings;
  readonly blocks: Blocks;
}

export interface Settings {
  readonly title?: string | undefined;
  readonly author?: string | undefined;
  readonly language?: string | undefined;
  readonly pageSize?: string | undefined;
  readonly landscape?: boolean | undefined;
  readonly margin?: number | undefined;
  readonly fontSize?: number | undefined;
  readonly pageNumbers?: boolean | undefined;
}

export function describeMarkdown(text: string): Description {
  return { settings: {}, blocks: parseMarkdown(text) };
}

/** Reads a JSON description. Unknown input is rejected with its location, never skipped. */
export function describeJson(value: JsonValue): Description {
  if (!isObject(value)) throw wrong("the whole", "an object with blocks");
  const { blocks, ...settings } = value;
  const known = ["title", "author", "language", "pageSize", "landscape", "margin", "fontSize", "pageNumbers"];
  for (const key of Object.keys(settings))
    if (!known.includes(key)) throw wrong(key, `one of ${known.join(", ")}`);
  return {
    settings: {
      title: readOptional(settings["title"], "title", "string"),
      author: readOptional(settings["author"], "author", "string"),
      language: readOptional(settings["language"], "language", "string"),
      pageSize: readOptional(settings["pageSize"], "pageSize", "string"),
      landscape: readOptional(settings["landscape"], "landscape", "boolean"),
      margin: readOptional(settings["margin"], "margin", "number"),
      fontSize: readOptional(settings["fontSize"], "fontSize", "number"),
      pageNumbers: readOptional(settings["pageNumbers"], "pageNumbers", "boolean"),
    },
    blocks: readList(blocks, "blocks").map((block, index) => readBlock(block, `blocks[${index}]`)),
  };
}

function readBlock(value: JsonValue, place: string): Block {
  if (typeof value === "string") return { type: "paragraph", content: parseInline(value) };
  if (!isObject(value)) throw wrong(place, "an object with a type, or a text");
  const type = value["type"];
  switch (type) {
    case "heading": {
      const level = readOptional(value["level"], `${place}.level`, "number") ?? 1;
      return { type, level: Math.min(6, Math.max(1, Math.round(level))), content: readInline(value, place) };
    }
    case "paragraph":
      return { type, content: readInline(value, place) };
    case "quote":
      return { type, blocks: [{ type: "paragraph", content: readInline(value, place) }] };
    case "code":
      return { type, text: readString(value["text"], `${place}.text`), language: undefined };
    case "list":
      return readListBlock(value, place);
    case "table":
      return readTable(value, place);
    case "image":
      return {
        type,
        path: readString(value["path"], `${place}.path`),
        alt: readOptional(value["alt"], `${place}.alt`, "string") ?? "",
        width: readOptional(value["width"], `${place}.width`, "number"),
      };
    case "rule":
    case "pageBreak":
      return { type };
    default:
      throw wrong(`${place}.type`, "heading, paragraph, list, table, image, code, quote, rule or pageBreak");
  }
}

function readListBlock(value: JsonObject, place: string): Block {
  const items = readList(value["items"], `${place}.items`).map((item, index): Blocks => {
    const at = `${place}.items[${index}]`;
    if (!isObject(item)) return [{ type: "paragraph", content: parseInline(readCell(item, at)) }];
    const first: Block = { type: "paragraph", content: readInline(item, at) };
    return item["items"] === undefined ? [first] : [first, readListBlock(item, at)];
  });
  const ordered = readOptional(value["ordered"], `${place}.ordered`, "boolean") ?? false;
  return { type: "list", ordered, start: 1, items };
}

function readTable(value: JsonObject, place: string): Block {
  const header = readList(value["header"], `${place}.header`).map((cell) =>
    readCell(cell, `${place}.header`),
  );
  const rows = readList(value["rows"], `${place}.rows`).map((row, index) => {
    const at = `${place}.rows[${index}]`;
    const cells = readList(row, at).map((cell) => readCell(cell, at));
    if (cells.length > header.length) throw wrong(at, `at most ${header.length} cells, as the header`);
    return header.map((_, column) => parseInline(cells[column] ?? ""));
  });
  const align =
    value["align"] === undefined ? [] : readList(value["align"], `${place}.align`).map(readAlignment);
  return {
    type: "table",
    header: header.map(parseInline),
    align: header.map((_, at) => align[at] ?? "left"),
    rows,
  };
}

function readAlignment(value: JsonValue): Alignment {
  if (value === "left" || value === "center" || value === "right") return value;
  throw wrong("align", "left, center or right");
}

function readInline(value: JsonObject, place: string) {
  return parseInline(readString(value["text"], `${place}.text`));
}

/** Cells and items may be numbers and the like, as data has them. */
function readCell(value: JsonValue, place: string): string {
  if (typeof value === "object" && value !== null) throw wrong(place, "texts and numbers");
  return value === null ? "" : String(value);
}

function readString(value: JsonValue | undefined, place: string): string {
  if (typeof value !== "string") throw wrong(place, "a text");
  return value;
}

function readList(value: JsonValue | undefined, place: string): readonly JsonValue[] {
  if (!Array.isArray(value)) throw wrong(place, "a list");
  return value;
}

interface Kinds {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
}

function readOptional<Kind extends keyof Kinds>(
  value: JsonValue | undefined,
  place: string,
  kind: Kind,
): Kinds[Kind] | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== kind) throw wrong(place, `a ${kind}`);
  // Its type has just been compared with the word.
  return value as Kinds[Kind];
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wrong(place: string, expected: string): ScriptError {
  return inputError(
    "INVALID_DESCRIPTION",
    `In the description, ${clip(place, 200)} must be ${expected}.`,
    "See create --help for the shape.",
  );
}
