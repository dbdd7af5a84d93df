import type { Units } from "./unit.ts";

/** What a character is to the analyzer. Up to `upper` they are ASCII and make plain words. */
export const Kind = {
  lower: 1,
  digit: 2,
  upper: 3,
  separator: 4,
  /** Part of a word that has to be folded first: accents, other alphabets, full-width forms. */
  foreign: 5,
  /** Of a script written without spaces, where pairs of characters stand for words. */
  unspaced: 6,
  /** The same in a form that has to be composed or replaced first: half-width kana, parts of syllables. */
  unspacedForm: 7,
} as const;

/** Marks that only change how an emoji looks are no part of a word. */
const SEPARATE_MARK = /[\uFE00-\uFE0F\u20D0-\u20FF]/u;
const ACCENT = /[\u0300-\u036F]/g;
const WORD = /[\p{L}\p{M}\p{N}]/u;
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Bopomofo}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u30FC\uFF70\u3099\u309A\uFF9E\uFF9F]/u;

const FORM = /[\u1100-\u11FF\u3099\u309A\uA960-\uA97F\uD7B0-\uD7FF]/u;

/** Filled as characters are met: asking Unicode's tables for every one would take most of the time. */
const known = new Uint8Array(0x10000);

/** The kind of a UTF-16 unit that is no surrogate. */
export function kindOfUnit(unit: number): number {
  const kind = known[unit] ?? 0;
  if (kind !== 0) return kind;
  const found = classify(unit);
  known[unit] = found;
  return found;
}

/** The kind of the character at a position, with surrogate pairs taken as one; half a pair separates. */
export function kindAt(units: Units, at: number): number {
  const point = pointAt(units, at);
  if (point > 0xffff) return classify(point);
  return (point & 0xf800) === 0xd800 ? Kind.separator : kindOfUnit(point);
}

/** Units of the character at a position: 2 for a surrogate pair. */
export function widthAt(units: Units, at: number): number {
  return pointAt(units, at) > 0xffff ? 2 : 1;
}

/** Compatibility forms and accents off, then composed again, so that Hangul and kana stay whole. */
export function fold(text: string): string {
  return text.normalize("NFKD").replace(ACCENT, "").normalize("NFC");
}

function pointAt({ array, length }: Units, at: number): number {
  const unit = array[at] ?? 0;
  if ((unit & 0xfc00) !== 0xd800 || at + 1 >= length) return unit;
  const next = array[at + 1] ?? 0;
  return (next & 0xfc00) === 0xdc00 ? 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00) : unit;
}

function classify(point: number): number {
  const character = String.fromCodePoint(point);
  if (point < 0x80) return classifyAscii(character);
  if (!WORD.test(character) || SEPARATE_MARK.test(character)) return Kind.separator;
  if (!UNSPACED.test(character)) return Kind.foreign;
  const isForm = FORM.test(character) || character.normalize("NFKC") !== character;
  return isForm ? Kind.unspacedForm : Kind.unspaced;
}

function classifyAscii(character: string): number {
  if (character >= "a" && character <= "z") return Kind.lower;
  if (character >= "A" && character <= "Z") return Kind.upper;
  return character >= "0" && character <= "9" ? Kind.digit : Kind.separator;
}
