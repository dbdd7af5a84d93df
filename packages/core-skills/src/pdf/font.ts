import {
  type PDFDocument,
  type PDFFont,
  type PDFPage,
  type PDFPageDrawTextOptions,
  StandardFonts,
} from "@cantoo/pdf-lib";
import { readInput } from "../shared/input-file.ts";
import { inputError, ScriptError } from "../shared/script-error.ts";
import type { ScriptIo } from "../shared/script-io.ts";
import { hasRightToLeft, isRightToLeft, visualRuns } from "./bidi.ts";

const MAX_BYTES = 30 * 1024 * 1024;

export const fontOption = {
  font: { type: "string", value: "file.ttf", help: "Embed this TrueType or OpenType font, for any script" },
} as const;

/** The font of a file, or the built-in one. */
export async function readFont(
  document: PDFDocument,
  path: string | undefined,
  io: ScriptIo,
  builtIn: StandardFonts = StandardFonts.Helvetica,
): Promise<PDFFont> {
  if (path === undefined) return document.embedStandardFont(builtIn);
  const file = await readInput(path, io, { maxBytes: MAX_BYTES });
  const { default: fontkit } = await import("@pdf-lib/fontkit");
  document.registerFontkit(fontkit);
  try {
    // The library cannot write parts of all fonts, so the whole font is embedded.
    const font = await document.embedFont(file.bytes, { subset: false });
    shapers.set(font, fontkit.create(file.bytes));
    return font;
  } catch (error) {
    throw inputError(
      "BAD_FONT",
      `${path} is not a font that can be embedded.`,
      "Use a .ttf or .otf file.",
      error,
    );
  }
}

const shapers = new WeakMap<PDFFont, Shaper>();

/** The part of a font file that says how its letters join. */
interface Shaper {
  readonly characterSet: readonly number[];
  glyphForCodePoint(code: number): { readonly id: number };
  layout(text: string): { readonly glyphs: readonly { readonly id: number }[] };
}

/**
 * Warns of right-to-left text with letter forms whose width the library does not know. It knows the forms that have a
 * character of their own; in other fonts, joined letters are spaced wrongly.
 */
export function warnOfShapes(text: string, font: PDFFont): readonly string[] {
  const shaper = shapers.get(font);
  const words = new Set(text.split(/\s+/).filter(hasRightToLeft));
  if (shaper === undefined || words.size === 0) return [];
  const known = new Set(shaper.characterSet.map((code) => shaper.glyphForCodePoint(code).id));
  const isKnown = (word: string) => shaper.layout(word).glyphs.every(({ id }) => known.has(id));
  return [...words].every(isKnown) ? [] : [UNKNOWN_SHAPES];
}

const UNKNOWN_SHAPES =
  "The font joins right-to-left letters in forms whose width is unknown, so letters may be spaced wrongly. Check the pages with render, or use a font such as DejaVu Sans.";

/** Draws one line with the runs of both directions in their order. */
export function drawDirected(
  page: PDFPage,
  text: string,
  options: PDFPageDrawTextOptions & {
    readonly font: PDFFont;
    readonly x: number;
    readonly y: number;
    readonly size: number;
  },
): void {
  const radians = ((options.rotate?.angle ?? 0) * Math.PI) / 180;
  let used = 0;
  for (const run of visualRuns(text, isRightToLeft(text))) {
    const [x, y] = [options.x + used * Math.cos(radians), options.y + used * Math.sin(radians)];
    page.drawText(run.text, { ...options, x, y });
    used += options.font.widthOfTextAtSize(run.text, options.size);
  }
}

const characterSets = new WeakMap<PDFFont, ReadonlySet<number>>();

/** The characters that the font lacks. The built-in fonts have Western European ones only. */
export function findMissing(text: string, font: PDFFont): readonly string[] {
  const known = characterSets.get(font) ?? new Set(font.getCharacterSet());
  characterSets.set(font, known);
  const missing = new Set<string>();
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (!known.has(code) && !"\n\r\t".includes(character)) missing.add(character);
  }
  return [...missing];
}

export function missingCharacters(missing: readonly string[], subject: string): ScriptError {
  const shown = missing.slice(0, 20).map((character) => {
    const code = character.codePointAt(0) ?? 0;
    return `${character} (U+${code.toString(16).toUpperCase().padStart(4, "0")})`;
  });
  return new ScriptError(
    "CHARACTERS_NOT_SUPPORTED",
    `${subject} has characters that the font lacks: ${shown.join(", ")}.`,
    {
      hint:
        "The built-in fonts cover Western European text. Pass a font that has these characters with --font file.ttf, or write them " +
        "otherwise; create can put another text in their place with --replace.",
    },
  );
}
