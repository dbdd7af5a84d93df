import type { MarkedToken, Token, Tokens } from "marked";
import type { Block, Blocks, Inlines } from "./block.ts";
import { decodeReferences } from "./character-reference.ts";
import { altOf, toInlines } from "./markdown-inline.ts";
import { isPageBreak, known, lexMarkdown } from "./markdown-lexer.ts";

/**
 * Reads the Markdown that documents are described in: CommonMark with the tables and bare addresses of GitHub,
 * and page breaks, written as `<!-- pagebreak -->` or `\newpage`. An image on a line of its own is a block, and
 * elsewhere it is its alternative text. HTML is text as it stands.
 */
export function parseMarkdown(text: string): Blocks {
  return toBlocks(lexMarkdown(text.replace(/^\uFEFF/, "")));
}

function toBlocks(tokens: readonly MarkedToken[]): Blocks {
  return tokens.flatMap(toBlock);
}

function toBlock(token: MarkedToken): Blocks {
  switch (token.type) {
    case "heading":
      return [{ type: "heading", level: token.depth, content: textOf(token.tokens) }];
    case "paragraph":
      return toParagraphs(known(token.tokens));
    case "text":
      return toParagraphs(known(token.tokens ?? [token]));
    case "list":
      return [toList(token)];
    case "table":
      return [toTable(token)];
    case "code":
      return [{ type: "code", text: token.text.replaceAll("\t", "    "), language: languageOf(token) }];
    case "blockquote":
      return [{ type: "quote", blocks: toBlocks(known(token.tokens)) }];
    case "hr":
      return [{ type: isPageBreak(token) ? "pageBreak" : "rule" }];
    case "html":
      return [{ type: "paragraph", content: [{ text: token.raw.trim().replaceAll("\t", "    ") }] }];
    case "space":
    case "def":
      return [];
    default:
      return toParagraphs([token]);
  }
}

function textOf(tokens: readonly Token[]): Inlines {
  return toInlines(known(tokens), "blank");
}

/** One paragraph, or more when images stand on lines of their own in it. */
function toParagraphs(tokens: readonly MarkedToken[]): Blocks {
  const blocks: Block[] = [];
  let from = 0;
  const endParagraph = (to: number) => {
    const content = trim(toInlines(tokens.slice(from, to), "blank"));
    if (content.length > 0) blocks.push({ type: "paragraph", content });
  };
  tokens.forEach((token, at) => {
    const isAlone = endsLine(tokens[at - 1]) && beginsLine(tokens[at + 1]);
    if (token.type !== "image" || !isAlone) return;
    endParagraph(at);
    blocks.push({ type: "image", path: pathOf(token), alt: altOf(token) });
    from = at + 1;
  });
  endParagraph(tokens.length);
  return blocks;
}

function endsLine(token: MarkedToken | undefined): boolean {
  return (
    token === undefined ||
    token.type === "br" ||
    (token.type === "text" && isBlank(token.raw.split("\n"), -1))
  );
}

function beginsLine(token: MarkedToken | undefined): boolean {
  return (
    token === undefined || token.type === "br" || (token.type === "text" && isBlank(token.raw.split("\n"), 0))
  );
}

/** Whether a text of several lines has a blank first or last line. */
function isBlank(lines: readonly string[], at: 0 | -1): boolean {
  return lines.length > 1 && lines.at(at)?.trim() === "";
}

/** A destination is written as in an address: `my%20file.png`. */
function pathOf({ href }: Tokens.Image): string {
  const path = decodeReferences(href);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function trim(content: Inlines): Inlines {
  return content
    .map((each, index) => (index === 0 ? { ...each, text: each.text.trimStart() } : each))
    .map((each, index) => (index === content.length - 1 ? { ...each, text: each.text.trimEnd() } : each))
    .filter(({ text }) => text !== "");
}

function toList({ ordered, start, items }: Tokens.List): Block {
  return {
    type: "list",
    ordered,
    start: start === "" ? 1 : start,
    items: items.map((item) => toBlocks(known(item.tokens))),
  };
}

function toTable({ header, align, rows }: Tokens.Table): Block {
  return {
    type: "table",
    header: header.map((cell) => textOf(cell.tokens)),
    align: align.map((each) => each ?? "left"),
    rows: rows.map((row) => row.map((cell) => textOf(cell.tokens))),
  };
}

function languageOf({ lang }: Tokens.Code): string | undefined {
  return /^\S+/.exec(lang ?? "")?.[0];
}
