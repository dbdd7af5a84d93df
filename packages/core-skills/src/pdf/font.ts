import { type PDFDocument, type PDFFont, StandardFonts } from "@cantoo/pdf-lib";
import { readInput } from "../shared/input-file.ts";
import { inputError, ScriptError } from "../shared/script-error.ts";
import type { ScriptIo } from "../shared/script-io.ts";

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
    return await document.embedFont(file.bytes, { subset: false });
  } catch (error) {
    throw inputError(
      "BAD_FONT",
      `${path} is not a font that can be embedded.`,
      "Use a .ttf or .otf file.",
      error,
    );
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
