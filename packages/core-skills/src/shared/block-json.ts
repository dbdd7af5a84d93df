import type { Alignment, Block, Blocks, Inlines } from "./block.ts";
import type { JsonObject, JsonValue } from "./command.ts";
import { parseMarkdown } from "./markdown.ts";
import { parseInline } from "./markdown-inline.ts";
import { inputError } from "./script-error.ts";

/**
 * Reads the JSON that documents are described in: a list of blocks. Text has the inline styles of Markdown, and a
 * block that is only a text is a piece of Markdown.
 */
export function parseBlocks(value: JsonValue | undefined, at = "blocks"): Blocks {
  if (!Array.isArray(value)) throw wrong(at, "a list of blocks");
  return value.flatMap((each: JsonValue, index) => parseBlock(each, `${at}[${index}]`));
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text of a description; undefined when it is not there. */
export function readTextField(object: JsonObject, key: string, at: string): string | undefined {
  const value = object[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string") throw wrong(`${at}.${key}`, "a text");
  return value;
}

export function wrong(at: string, expected: string): Error {
  return inputError("INVALID_DESCRIPTION", `${at} must be ${expected}.`);
}

const kinds = "heading, paragraph, list, table, code, quote, image, rule, pageBreak or markdown";

function parseBlock(value: JsonValue, at: string): Blocks {
  if (typeof value === "string") return parseMarkdown(value);
  if (!isJsonObject(value)) throw wrong(at, "a block or a text");
  const text = () => readTextField(value, "text", at) ?? "";
  switch (value["type"]) {
    case "heading":
      return [
        { type: "heading", level: readNumber(value, "level", at, 1, 6) ?? 1, content: parseInline(text()) },
      ];
    case "paragraph":
      return [{ type: "paragraph", content: parseInline(text()) }];
    case "list":
      return [parseList(value, at)];
    case "table":
      return [parseTable(value, at)];
    case "code":
      return [{ type: "code", text: text(), language: readTextField(value, "language", at) }];
    case "quote":
      return [{ type: "quote", blocks: parseMarkdown(text()) }];
    case "image":
      return [parseImage(value, at)];
    case "rule":
    case "pageBreak":
      return [{ type: value["type"] }];
    case "markdown":
      return parseMarkdown(text());
    default:
      throw wrong(`${at}.type`, kinds);
  }
}

/** A list in a list is of the same kind, unless it says otherwise. */
function parseList(value: JsonObject, at: string, depth = 0, isOrdered = false): Block {
  const { items } = value;
  if (!Array.isArray(items)) throw wrong(`${at}.items`, "a list");
  if (depth > MAX_DEPTH) throw wrong(at, `at most ${MAX_DEPTH} levels deep`);
  const ordered = typeof value["ordered"] === "boolean" ? value["ordered"] : isOrdered;
  return {
    type: "list",
    ordered,
    start: readNumber(value, "start", at, 0, 1_000_000) ?? 1,
    items: items.map((item: JsonValue, index) => parseItem(item, `${at}.items[${index}]`, depth, ordered)),
  };
}

const MAX_DEPTH = 8;

/** An item is a text, or a text with items of its own. */
function parseItem(value: JsonValue, at: string, depth: number, isOrdered: boolean): Blocks {
  if (!isJsonObject(value)) return [{ type: "paragraph", content: parseCell(value, at) }];
  const paragraph: Block = {
    type: "paragraph",
    content: parseInline(readTextField(value, "text", at) ?? ""),
  };
  return value["items"] === undefined ? [paragraph] : [paragraph, parseList(value, at, depth + 1, isOrdered)];
}

function parseTable(value: JsonObject, at: string): Block {
  const rows = readRows(value["rows"], `${at}.rows`);
  const [header = [], ...rest] =
    value["header"] === undefined ? rows : [readRow(value["header"], `${at}.header`), ...rows];
  const width = [header, ...rest].reduce((widest, row) => Math.max(widest, row.length), 0);
  const fill = (row: readonly Inlines[]) => [...row, ...Array.from({ length: width - row.length }, () => [])];
  const align = Array.isArray(value["align"]) ? value["align"] : [];
  return {
    type: "table",
    header: fill(header),
    align: Array.from({ length: width }, (_, column) =>
      readAlignment(align[column], `${at}.align[${column}]`),
    ),
    rows: rest.map(fill),
  };
}

export function readRows(value: JsonValue | undefined, at: string): readonly (readonly Inlines[])[] {
  if (!Array.isArray(value)) throw wrong(at, "a list of rows");
  return value.map((row: JsonValue, index) => readRow(row, `${at}[${index}]`));
}

function readRow(value: JsonValue, at: string): readonly Inlines[] {
  if (!Array.isArray(value)) throw wrong(at, "a list of cells");
  return value.map((cell: JsonValue, index) => parseCell(cell, `${at}[${index}]`));
}

function parseCell(value: JsonValue, at: string): Inlines {
  if (value === null) return [];
  if (typeof value === "object") throw wrong(at, "a text or a number");
  return parseInline(String(value));
}

function readAlignment(value: JsonValue | undefined, at: string): Alignment {
  if (value === undefined || value === null) return "left";
  if (value === "left" || value === "center" || value === "right") return value;
  throw wrong(at, "left, center or right");
}

function parseImage(value: JsonObject, at: string): Block {
  const path = readTextField(value, "path", at);
  if (path === undefined) throw wrong(`${at}.path`, "the path of an image");
  const width = readNumber(value, "width", at, 1, 10_000);
  return { type: "image", path, alt: readTextField(value, "alt", at) ?? "", width };
}

export function readNumber(
  object: JsonObject,
  key: string,
  at: string,
  min: number,
  max: number,
): number | undefined {
  const value = object[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && value >= min && value <= max) return value;
  throw wrong(`${at}.${key}`, `a number from ${min} to ${max}`);
}
