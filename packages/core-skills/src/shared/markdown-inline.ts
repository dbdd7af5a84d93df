import type { MarkedToken, Tokens } from "marked";
import type { Inline, Inlines } from "./block.ts";
import { decodeReferences } from "./character-reference.ts";
import { known, lexInline } from "./markdown-lexer.ts";

/**
 * Reads the styles inside a paragraph: bold, italic, struck, code, links and bare addresses. An image is its alternative
 * text, HTML is text as it stands, and the ends of lines stay.
 */
export function parseInline(text: string): Inlines {
  return toInlines(lexInline(text.replace(/\r\n?/g, "\n")), "kept");
}

/** The ends of lines in a document are blanks, unless two blanks or a backslash keep them. */
export type LineEnd = "kept" | "blank";

export function toInlines(tokens: readonly MarkedToken[], lineEnd: LineEnd): Inlines {
  return merge(tokens.flatMap((token) => toStyled(token, {}, lineEnd)));
}

type Style = Omit<Inline, "text">;

function toStyled(token: MarkedToken, style: Style, lineEnd: LineEnd): readonly Inline[] {
  const inner = (tokens: Tokens.Strong["tokens"], more: Style) =>
    known(tokens).flatMap((each) => toStyled(each, { ...style, ...more }, lineEnd));
  switch (token.type) {
    case "strong":
      return inner(token.tokens, { bold: true });
    case "em":
      return inner(token.tokens, { italic: true });
    case "del":
      return inner(token.tokens, { strike: true });
    case "codespan":
      return [{ ...style, code: true, text: token.text }];
    case "link":
      // An address that stands as itself is literal: its references are part of it.
      if (token.autolink === true) return [{ ...style, href: token.href, text: token.text }];
      return inner(token.tokens, { href: decodeReferences(token.href) });
    case "image":
      return [{ ...style, text: decodeReferences(altOf(token) || token.href) }];
    case "br":
      return [{ ...style, text: "\n" }];
    case "escape":
      return [{ ...style, text: token.text }];
    case "text":
      return [{ ...style, text: decodeReferences(endLines(token.raw, lineEnd)) }];
    default:
      return [{ ...style, text: endLines(token.raw, lineEnd) }];
  }
}

/** The alternative text of an image, without its styles. */
export function altOf(image: Tokens.Image): string {
  return toInlines(known(image.tokens), "blank")
    .map(({ text }) => text)
    .join("");
}

function endLines(text: string, lineEnd: LineEnd): string {
  if (lineEnd === "kept") return text;
  const lines = text.split("\n");
  const last = lines.length - 1;
  return lines
    .map((line, at) => (at > 0 ? line.trimStart() : line))
    .map((line, at) => (at < last ? line.trimEnd() : line))
    .join(" ")
    .replaceAll("\t", "    ");
}

function merge(content: readonly Inline[]): Inlines {
  const merged: Inline[] = [];
  for (const each of content) {
    const last = merged.at(-1);
    if (each.text === "") continue;
    if (last !== undefined && isSameStyle(last, each))
      merged[merged.length - 1] = { ...last, text: last.text + each.text };
    else merged.push(each);
  }
  return merged;
}

function isSameStyle(a: Inline, b: Inline): boolean {
  return (
    a.bold === b.bold &&
    a.italic === b.italic &&
    a.code === b.code &&
    a.strike === b.strike &&
    a.href === b.href
  );
}
