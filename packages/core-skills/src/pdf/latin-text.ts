import type { PDFFont } from "@cantoo/pdf-lib";
import { ScriptError } from "../shared/script-error.ts";

const characterSets = new WeakMap<PDFFont, ReadonlySet<number>>();

/** The characters that the font has no sign for. The fonts that need no embedding know Western European ones only. */
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
    `${subject} has characters that the built-in fonts cannot show: ${shown.join(", ")}.`,
    {
      hint:
        "The built-in fonts cover Western European text, and others cannot be embedded. Write these characters otherwise; " +
        "create can put another text in their place with --replace.",
    },
  );
}
