/**
 * Makes skill text safe for one line of a prompt, a table or a log: no escape sequences, control or invisible
 * characters, line breaks or repeated spaces, and at most `maxLength` code points, ending with `…` if truncated.
 * Visible text is unchanged, and the function is idempotent. Linear time: the text is not normalized, because sorting
 * long runs of marks is quadratic.
 */
export function neutralText(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  return cutText(isNeutral(text) ? text : toLine(text), maxLength);
}

/** Fast path: true for printable ASCII with single spaces. */
function isNeutral(text: string): boolean {
  return !/[^ -~]| {2}/.test(text) && !text.startsWith(" ") && !text.endsWith(" ");
}

function toLine(text: string): string {
  return (
    text
      .replace(escapeSequence, "")
      .replace(invisible, "")
      // U+0085 and the blank Braille pattern look like spaces but are not white space in JavaScript.
      .replace(/[\s\u0085\u2800]+/g, " ")
      // A leading mark would combine with our preceding character: `>` and U+0338 compose to `≯`.
      .replace(/^[ \p{M}]+/u, "")
      .trimEnd()
  );
}

/**
 * CSI sequences; terminated OSC, DCS, SOS, PM and APC strings; other escapes. Each part stops at the start of the next
 * sequence, so the time is linear; unterminated sequences stay text.
 */
const escapeSequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g;

/**
 * Non-space controls, lone surrogates and ignorable characters: bidi controls, zero widths, fillers, variation
 * selectors, the tag block. Keeps VS16 after a pictograph and joiners between pictographs, which emoji need.
 */
const invisible =
  /(?!(?<=\p{Extended_Pictographic})\ufe0f)(?!(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d(?=\p{Extended_Pictographic}))[[\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Cc}\p{Cs}\ufff9-\ufffb]--[\t-\r\u0085]]/gv;

function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let end = 0;
  let length = 0;
  let kept = 0;
  while (end < text.length && length < maxLength) {
    kept = end;
    end += unitsAt(text, end);
    length += 1;
  }
  if (end === text.length) return text;
  if (maxLength < 1) return "";
  const head = text.slice(0, graphemeStart(text, kept));
  return `${head.replace(/[ \u200d]+$/, "")}…`;
}

function unitsAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

/** The longest grapheme that is kept whole; longer ones are hostile. */
const longestGrapheme = 64;

/** The start of the grapheme that a cut at `at` would split; `at` itself if the cut is between graphemes. */
function graphemeStart(text: string, at: number): number {
  // Checked first, because the first segmenter takes milliseconds and most cuts split no grapheme.
  if (text[at - 1] !== "\u200d" && !extender.test(text.slice(at, at + 2))) return at;
  const start = Math.max(0, at - longestGrapheme);
  const around = text.slice(start, at + longestGrapheme);
  const index = new Intl.Segmenter("en").segment(around).containing(at - start)?.index ?? 0;
  return index === 0 && start > 0 ? at : start + index;
}

/**
 * Matches characters that extend the previous one: marks, joiners, skin tones, the second half of a flag, Hangul
 * parts.
 */
const extender = /^(?:\u200d|[\p{M}\p{Emoji_Modifier}\p{Regional_Indicator}\u1160-\u11ff])/u;
