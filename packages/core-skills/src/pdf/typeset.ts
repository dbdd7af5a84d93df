import { type PDFDocument, type PDFFont, StandardFonts } from "@cantoo/pdf-lib";
import type { Inline, Inlines } from "../shared/block.ts";
import type { ScriptIo } from "../shared/script-io.ts";
import { hasRightToLeft, isRightToLeft, visualRuns } from "./bidi.ts";
import { findMissing, readFont } from "./font.ts";

/** The fonts of a document. */
export interface Fonts {
  readonly regular: PDFFont;
  readonly bold: PDFFont;
  readonly italic: PDFFont;
  readonly boldItalic: PDFFont;
  readonly code: PDFFont;
}

/** Font files to embed. Without a bold one, bold text is regular; there is no italic. */
export interface FontFiles {
  readonly regular: string | undefined;
  readonly bold: string | undefined;
}

/** The built-in fonts need no embedding. */
export async function embedFonts(document: PDFDocument, files: FontFiles, io: ScriptIo): Promise<Fonts> {
  const code = document.embedStandardFont(StandardFonts.Courier);
  if (files.regular === undefined) {
    return {
      regular: document.embedStandardFont(StandardFonts.Helvetica),
      bold: document.embedStandardFont(StandardFonts.HelveticaBold),
      italic: document.embedStandardFont(StandardFonts.HelveticaOblique),
      boldItalic: document.embedStandardFont(StandardFonts.HelveticaBoldOblique),
      code,
    };
  }
  const regular = await readFont(document, files.regular, io);
  const bold = files.bold === undefined ? regular : await readFont(document, files.bold, io);
  return { regular, bold, italic: regular, boldItalic: bold, code };
}

export interface Span {
  readonly text: string;
  readonly font: PDFFont;
  readonly width: number;
  readonly href: string | undefined;
  readonly strike: boolean;
}

export interface Line {
  /** From left to right, as they are drawn. */
  readonly spans: readonly Span[];
  readonly width: number;
  /** The paragraph runs from right to left. */
  readonly isRightToLeft: boolean;
}

export interface TypeStyle {
  readonly size: number;
  readonly fonts: Fonts;
  readonly bold?: boolean;
}

/** Breaks text into lines that fit, at blanks; a word longer than a line is broken anywhere. */
export function wrap(content: Inlines, width: number, style: TypeStyle): readonly Line[] {
  const lines: Line[] = [];
  let spans: Span[] = [];
  let used = 0;
  const isTurned = isRightToLeft(content.map(({ text }) => text).join(""));
  const end = () => {
    lines.push(toLine(spans, isTurned, style.size));
    spans = [];
    used = 0;
  };
  for (const word of words(content, style)) {
    if (word === "break") {
      end();
      continue;
    }
    if (used > 0 && used + word.width > width && word.text.trim() !== "") end();
    if (used === 0 && word.text.trim() === "") continue;
    const pieces = word.width > width ? breakWord(word, width, style.size) : [word];
    for (const piece of pieces) {
      if (used > 0 && used + piece.width > width && piece.text.trim() !== "") end();
      spans.push(piece);
      used += piece.width;
    }
  }
  if (spans.length > 0 || lines.length === 0) end();
  return lines;
}

/** The longest word, below which a column cannot go without breaking one. */
export function widestWord(content: Inlines, style: TypeStyle): number {
  let widest = 0;
  for (const word of words(content, style)) if (word !== "break") widest = Math.max(widest, word.width);
  return widest;
}

export function measure(content: Inlines, style: TypeStyle): number {
  let width = 0;
  for (const word of words(content, style)) if (word !== "break") width += word.width;
  return width;
}

function* words(content: Inlines, style: TypeStyle): Generator<Span | "break"> {
  for (const inline of content) {
    const font = chooseFont(inline, style);
    for (const [text] of inline.text.matchAll(/\n|[^\S\n]+|\S+/g)) {
      if (text === "\n") yield "break";
      else yield toSpan(/\S/.test(text) ? text : " ", font, style.size, inline);
    }
  }
}

function toSpan(text: string, font: PDFFont, size: number, inline: Pick<Inline, "href" | "strike">): Span {
  const width = font.widthOfTextAtSize(text, size);
  return { text, font, width, href: inline.href, strike: inline.strike ?? false };
}

/** The font of the style, unless it lacks a character that the regular one has. */
function chooseFont(inline: Inline, style: TypeStyle): PDFFont {
  const font = styledFont(inline, style);
  return findMissing(inline.text, font).length === 0 ? font : style.fonts.regular;
}

function styledFont({ bold, italic, code }: Inline, style: TypeStyle): PDFFont {
  if (code === true) return style.fonts.code;
  const isBold = bold ?? style.bold ?? false;
  if (italic === true) return isBold ? style.fonts.boldItalic : style.fonts.italic;
  return isBold ? style.fonts.bold : style.fonts.regular;
}

function breakWord(word: Span, width: number, size: number): readonly Span[] {
  const pieces: Span[] = [];
  let text = "";
  let used = 0;
  for (const character of word.text) {
    const wide = word.font.widthOfTextAtSize(character, size);
    if (text !== "" && used + wide > width) {
      pieces.push({ ...word, text, width: used });
      text = "";
      used = 0;
    }
    text += character;
    used += wide;
  }
  return [...pieces, { ...word, text, width: used }];
}

/** Neighbors in one style are drawn at once, so that readers find words and not letters; a blank at the end goes. */
function toLine(spans: readonly Span[], isTurned: boolean, size: number): Line {
  const kept = spans.at(-1)?.text === " " ? spans.slice(0, -1) : spans;
  const merged: Span[] = [];
  for (const span of kept) {
    const last = merged.at(-1);
    const isSame = last?.font === span.font && last.href === span.href && last.strike === span.strike;
    if (last !== undefined && isSame) {
      merged[merged.length - 1] = { ...last, text: last.text + span.text, width: last.width + span.width };
    } else merged.push(span);
  }
  const shown = inVisualOrder(merged, isTurned, size);
  return { spans: shown, width: shown.reduce((sum, { width }) => sum + width, 0), isRightToLeft: isTurned };
}

/** Splits spans where the direction changes, and orders the pieces from left to right. */
function inVisualOrder(spans: readonly Span[], isTurned: boolean, size: number): readonly Span[] {
  const text = spans.map((span) => span.text).join("");
  if (!isTurned && !hasRightToLeft(text)) return spans;
  let at = 0;
  const places = spans.map((span) => {
    const start = at;
    at += span.text.length;
    return { span, start, end: at };
  });
  return visualRuns(text, isTurned).flatMap((run) => {
    const pieces = places
      .filter(({ start, end }) => start < run.end && end > run.start)
      .map(({ span, start, end }) => {
        const [from, to] = [Math.max(start, run.start) - run.start, Math.min(end, run.end) - run.start];
        const piece = run.text.slice(from, to);
        return { ...span, text: piece, width: span.font.widthOfTextAtSize(piece, size) };
      });
    return run.isRightToLeft ? pieces.toReversed() : pieces;
  });
}
