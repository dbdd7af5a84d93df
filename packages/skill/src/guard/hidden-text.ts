/** Characters that people do not see, by kind. */
export type HiddenKind =
  | "tag"
  | "bidi"
  | "zero-width"
  | "variation"
  | "private-use"
  | "control"
  | "separator";

export interface HiddenRun {
  readonly kind: HiddenKind;
  readonly index: number;
  readonly length: number;
  /** The ASCII text that tag characters spell. */
  readonly decoded: string;
}

const MAX_RUNS = 200;

/** Ranges of code points, inclusive. */
type Ranges = readonly (readonly [from: number, to: number])[];

const ZERO_WIDTH: Ranges = [
  [0xad, 0xad],
  [0x115f, 0x1160],
  [0x180e, 0x180e],
  [0x200b, 0x200f],
  [0x2060, 0x2064],
  [0x206a, 0x206f],
  [0x3164, 0x3164],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
];
const BIDI: Ranges = [
  [0x202a, 0x202e],
  [0x2066, 0x2069],
];
const TAGS: Ranges = [[0xe0000, 0xe007f]];
const VARIATIONS: Ranges = [
  [0xfe00, 0xfe0f],
  [0xe0100, 0xe01ef],
];
const PRIVATE_USE: Ranges = [
  [0xe000, 0xf8ff],
  [0xf0000, 0x10fffd],
];
/** Without tab, line feed, form feed, carriage return, escape and next line. */
const CONTROLS: Ranges = [
  [0, 8],
  [0xb, 0xb],
  [0xe, 0x1a],
  [0x1c, 0x1f],
  [0x7f, 0x84],
  [0x86, 0x9f],
];
const SEPARATORS: Ranges = [[0x2028, 0x2029]];

const ALL = [ZERO_WIDTH, BIDI, TAGS, VARIATIONS, PRIVATE_USE, CONTROLS, SEPARATORS].flat();

/** Matches any kind, so that most texts need only one pass. */
const ANY = pattern(ALL, "", "u");

const KINDS: readonly (readonly [HiddenKind, RegExp])[] = [
  ["tag", pattern(TAGS, "+", "gu")],
  ["bidi", pattern(BIDI, "+", "gu")],
  ["zero-width", pattern(ZERO_WIDTH, "+", "gu")],
  ["variation", pattern(VARIATIONS, "{2,}", "gu")],
  ["private-use", pattern(PRIVATE_USE, "+", "gu")],
  ["control", pattern(CONTROLS, "+", "gu")],
  ["separator", pattern(SEPARATORS, "+", "gu")],
];

/** A character class of ranges, written with escapes so that no invisible character is in the source. */
function pattern(ranges: Ranges, repeat: string, flags: string): RegExp {
  const escaped = (code: number) => `\\u{${code.toString(16)}}`;
  return new RegExp(
    `[${ranges.map(([from, to]) => `${escaped(from)}-${escaped(to)}`).join("")}]${repeat}`,
    flags,
  );
}

/** Runs of hidden characters. Joiners inside emoji, Indic and Arabic words and flags are part of writing. */
export function findHidden(text: string): readonly HiddenRun[] {
  if (!ANY.test(text)) return [];
  const runs: HiddenRun[] = [];
  for (const [kind, pattern] of KINDS) {
    for (const match of text.matchAll(pattern)) {
      const [run] = match;
      if (isWriting(kind, text, match.index, run)) continue;
      runs.push({ kind, index: match.index, length: [...run].length, decoded: decodeTags(kind, run) });
      if (runs.length >= MAX_RUNS) return runs;
    }
  }
  return runs;
}

const JOINED =
  /(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Hebrew}\p{Script=Thai}\p{Script=Mongolian}]|\ufe0f)$/u;
const FLAG = /\u{1f3f4}$/u;

function isWriting(kind: HiddenKind, text: string, index: number, run: string): boolean {
  const before = text.slice(Math.max(0, index - 4), index);
  switch (kind) {
    case "tag":
      // A flag of a region: a black flag, up to six tag letters and the cancel tag.
      return FLAG.test(before) && [...run].length <= 7 && run.endsWith("\u{e007f}");
    case "zero-width":
      return (index === 0 && run === "\ufeff") || (run.length <= 2 && JOINED.test(before));
    default:
      return false;
  }
}

function decodeTags(kind: HiddenKind, run: string): string {
  if (kind !== "tag") return "";
  return [...run]
    .map((char) => (char.codePointAt(0) ?? 0) - 0xe0000)
    .filter((code) => code >= 0x20 && code < 0x7f)
    .map((code) => String.fromCharCode(code))
    .join("");
}

const STRIPPED = pattern([...ZERO_WIDTH, ...BIDI, ...TAGS, ...VARIATIONS], "+", "gu");

/** The text as a reader understands it: without hidden characters, with look-alike letters as Latin. Lines stay. */
export function visibleText(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  return text.replace(STRIPPED, "").replace(LOOK_ALIKE, (char) => LATIN.get(char) ?? char);
}

const NOT_ASCII = /[\u0080-\uffff]/;

/** Letters of other scripts that look like Latin ones, and full-width forms. */
const PAIRS =
  "аaеeоoрpсcхxуyіiјjѕsԁdɡgһhԛqԝwꞵbАAВBЕEКKМMНHОOРPСCТTХXУYІIЈJЅSΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXοoαaνvιiκkρpτtυu";

const LATIN: ReadonlyMap<string, string> = new Map([
  ...Array.from(
    { length: PAIRS.length / 2 },
    (_, at) => [PAIRS.charAt(2 * at), PAIRS.charAt(2 * at + 1)] as const,
  ),
  ...Array.from(
    { length: 94 },
    (_, at) => [String.fromCharCode(0xff01 + at), String.fromCharCode(0x21 + at)] as const,
  ),
]);

const LOOK_ALIKE = new RegExp(`[${[...LATIN.keys()].join("").replace(/[\]\\^-]/g, "\\$&")}]`, "gu");

/** Whether a name mixes Latin letters with look-alikes of another script, as `pаypal` with a Cyrillic letter does. */
export function isConfusable(name: string): boolean {
  if (!NOT_ASCII.test(name)) return false;
  const plain = visibleText(name);
  return plain !== name && /[a-z]/i.test(name) && /^[\u0021-\u007e]+$/.test(plain.replaceAll(" ", ""));
}

/** A name in which letters that look alike are one: two ids with one skeleton can be taken for each other. */
export function skeleton(name: string): string {
  return visibleText(name.normalize("NFKC"))
    .toLowerCase()
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")
    .replace(/[0o]/g, "o")
    .replace(/[1il|]/g, "l")
    .replace(/5/g, "s")
    .replace(/[-_.]/g, "");
}
