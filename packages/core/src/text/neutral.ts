/**
 * Makes text from a skill harmless for one line of a prompt, a table or a log: no escape sequence, no control, no
 * invisible character, no line break, no run of spaces; at most `maxLength` code points, the last of them `…` when
 * something was cut. What is left reads as before. Neutral text stays as it is. The time is linear in the length,
 * which is why the text is not brought into a normal form: sorting long runs of marks is quadratic.
 */
export function neutralText(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  return cutText(isNeutral(text) ? text : toLine(text), maxLength);
}

/** True for printable ASCII with single spaces inside: most texts, which then cost one look. */
function isNeutral(text: string): boolean {
  return !/[^ -~]| {2}/.test(text) && !text.startsWith(" ") && !text.endsWith(" ");
}

function toLine(text: string): string {
  return (
    text
      .replace(escapeSequence, "")
      .replace(invisible, "")
      // U+0085 and the blank Braille pattern look like spaces and are none for JavaScript.
      .replace(/[\s\u0085\u2800]+/g, " ")
      // A mark at the start would join the character before it, which is ours: `>` and U+0338 compose to `≯`.
      .replace(/^[ \p{M}]+/u, "")
      .trimEnd()
  );
}

/**
 * CSI sequences; terminated OSC, DCS, SOS, PM and APC strings; other escapes. No part can run over the start of the
 * next sequence, so that many unfinished ones cost no more than their length; what is unfinished stays as text.
 */
const escapeSequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is looking for.
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g;

/**
 * Controls that are not white space, lone surrogates, and all that Unicode lets a font ignore: bidi controls, zero
 * widths, fillers, variation selectors, the tag block. VS16 after a pictograph and a joiner between two stay,
 * because an emoji falls apart without them.
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

/** A grapheme longer than this is split: no writing needs it, and a hostile one would take the whole text along. */
const longestGrapheme = 64;

/** Where the user-perceived character begins that a cut at `at` would split; `at` itself when it splits none. */
function graphemeStart(text: string, at: number): number {
  // Asked first because the platform takes milliseconds to make its first segmenter, and most cuts split nothing.
  if (text[at - 1] !== "\u200d" && !extender.test(text.slice(at, at + 2))) return at;
  const start = Math.max(0, at - longestGrapheme);
  const around = text.slice(start, at + longestGrapheme);
  const index = new Intl.Segmenter("en").segment(around).containing(at - start)?.index ?? 0;
  return index === 0 && start > 0 ? at : start + index;
}

/** What belongs to the character before it: marks, joiners, skin tones, the second half of a flag, Hangul parts. */
const extender = /^(?:\u200d|[\p{M}\p{Emoji_Modifier}\p{Regional_Indicator}\u1160-\u11ff])/u;
