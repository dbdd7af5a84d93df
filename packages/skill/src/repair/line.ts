/** A line that starts a field: `key: head`. */
export interface KeyLine {
  /** The key as written, including quotes. */
  readonly rawKey: string;
  readonly key: string;
  /** The text after the colon on the same line. */
  readonly head: string;
  /** True when YAML does not accept the colon: full-width, or without a space after it. */
  readonly isOdd: boolean;
}

const BARE_KEY = /^([\p{L}\p{N}_$][\p{L}\p{N}_.$/-]*)[ \t]*:(?:[ \t]+(.*))?$/u;
const QUOTED_KEY = /^("[^"]*"|'[^']*')[ \t]*:(?:[ \t]+(.*))?$/;
const LOOSE_KEY = /^([\p{L}\p{N}_$][^:#]{0,60}):(?:[ \t]+(.*))?$/u;
const ODD_KEY =
  /^(name|description|version|author|license|homepage|metadata|tags)(?:[ \t]*：|:)[ \t]*(\S.*)$/;

const KNOWN_FIELDS = new Set(
  "name description license compatibility metadata allowed-tools version author homepage tags".split(" "),
);

const TEXT_FIELDS = new Set(
  (
    "name description license compatibility version author homepage title summary short-description " +
    "short_description when_to_use argument-hint"
  ).split(" "),
);

const HEADING = /^#{1,6} \S/;
const CODE_FENCE = /^(?:```|~~~)/;

/** Reads a bare or quoted word and a colon at the first column. */
export function readKeyLine(line: string): KeyLine | undefined {
  const strict = BARE_KEY.exec(line) ?? QUOTED_KEY.exec(line);
  if (strict !== null) return toKeyLine(strict, false);
  const odd = ODD_KEY.exec(line);
  return odd === null || odd[2]?.startsWith("//") ? undefined : toKeyLine(odd, true);
}

/** Like `readKeyLine`, but a key may be a few words, because `metadata` contains no prose. */
export function readNestedKeyLine(line: string): KeyLine | undefined {
  const keyLine = readKeyLine(line);
  if (keyLine !== undefined) return keyLine;
  const loose = LOOSE_KEY.exec(line);
  return loose === null ? undefined : toKeyLine(loose, false);
}

function toKeyLine(match: RegExpExecArray, isOdd: boolean): KeyLine {
  const rawKey = (match[1] ?? "").trimEnd();
  const isQuoted = rawKey.startsWith('"') || rawKey.startsWith("'");
  return { rawKey, key: isQuoted ? rawKey.slice(1, -1) : rawKey, head: (match[2] ?? "").trim(), isOdd };
}

/** True for a common field, which is a field even when badly indented. */
export function isKnownField(key: string): boolean {
  return KNOWN_FIELDS.has(key);
}

/** True for a field whose value is always a string. */
export function isTextField(key: string): boolean {
  return TEXT_FIELDS.has(key);
}

export function isItem(line: string): boolean {
  return line === "-" || line.startsWith("- ");
}

export function isBlank(line: string): boolean {
  return line.trim() === "";
}

export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

export function expandTabs(line: string): string {
  const indent = indentOf(line);
  const blanks = line.slice(0, indent);
  return blanks.includes("\t") ? blanks.replaceAll("\t", "  ") + line.slice(indent) : line;
}

/** Removes up to `width` spaces from the start of each line. */
export function dedent(lines: readonly string[], width: number): readonly string[] {
  return lines.map((line) => line.slice(Math.min(width, indentOf(line))));
}

export function indent(lines: readonly string[], width: number): readonly string[] {
  return lines.map((line) => (isBlank(line) ? "" : " ".repeat(width) + line));
}

/** The indent of the first non-blank line. */
export function firstIndent(lines: readonly string[]): number {
  const first = lines.find((line) => !isBlank(line));
  return first === undefined ? 0 : indentOf(first);
}

/**
 * The first line (zero-based) of frontmatter that is probably the beginning of the instructions, because the closing fence
 * is missing there: text at the first column after a blank line. Undefined without such a line.
 */
export function findSwallowedBody(lines: readonly string[]): number | undefined {
  for (const [index, line] of lines.entries()) {
    if (index === 0 || isBlank(line) || !isBlank(lines[index - 1] ?? "")) continue;
    if (isProse(line)) return index;
    // A comment looks like a heading, but prose or a list does not follow a comment.
    const next = lines.slice(index + 1).find((each) => !isBlank(each) && !HEADING.test(each));
    if (HEADING.test(line) && next !== undefined && (isProse(next) || /^[-*+] /.test(next))) return index;
  }
  return undefined;
}

function isProse(line: string): boolean {
  if (CODE_FENCE.test(line)) return true;
  return /^[^\s#\-"'[\]{},&*!|>%@`]/.test(line) && readKeyLine(line) === undefined;
}
