import { indent } from "./line.ts";

/** A single-quoted YAML string, in which only the quote itself is special. */
export function quoteYaml(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * Writes lines as the value after `lead` (`key:` or `-`): one line in quotes, several as a block. The block is folded
 * unless the lines are a list or `header` is given.
 */
export function writeText(lead: string, lines: readonly string[], header?: string): readonly string[] {
  const text = trimLines(lines.map((line) => line.trim()));
  const [first, ...more] = text;
  if (first === undefined) return [`${lead} ''`];
  if (more.length === 0) return [`${lead} ${quoteYaml(first)}`];
  const isList = text.some((line) => /^(?:[-*+]|\d{1,3}[.)]) /.test(line));
  return [`${lead} ${header ?? (isList ? "|-" : ">-")}`, ...indent(text, 2)];
}

/** Writes lines as a literal block and keeps their indents. */
export function writeLiteral(lead: string, lines: readonly string[], header: string): readonly string[] {
  return [`${lead} ${header}`, ...indent(trimLines(lines), 2)];
}

/** Removes blank lines at both ends. */
export function trimLines(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => line.trim() !== "");
  const end = lines.findLastIndex((line) => line.trim() !== "");
  return start === -1 ? [] : lines.slice(start, end + 1);
}

/** The intended text of a value that starts with a quote. */
export interface QuotedText {
  readonly lines: readonly string[];
  readonly fault: "unclosed" | "trailing" | "inner" | "escape" | "unindented";
  /** True when line breaks are part of the text. */
  readonly isLiteral: boolean;
  /** A comment after the closing quote. */
  readonly comment?: string | undefined;
}

type Quote = '"' | "'";

/**
 * Reads a quoted value that is not valid YAML: the closing quote is missing, text follows it, or the text contains
 * quotes or backslashes. Removes the quotes only where they clearly delimit.
 */
export function readQuotedText(lines: readonly string[]): QuotedText | undefined {
  const text = lines.map((line) => line.trim()).join("\n");
  const quote = text[0];
  if (quote !== '"' && quote !== "'") return undefined;
  const closings = findQuotes(text, quote);
  const last = closings.at(-1);
  if (last === undefined) return toText(text.slice(1), quote, "unclosed");
  const rest = text.slice(last + 1);
  const comment = /^[ \t]+(#.*)$/.exec(rest)?.[1];
  const isWhole = isOnlyPunctuation(rest) || comment !== undefined;
  if (isWhole && !isPhrasePair(text, closings)) {
    const end = /^[。！？.!?]/.test(rest) && !/[。！？.!?]$/.test(text.slice(1, last)) ? rest[0] : "";
    const isClosed = rest === "" || comment !== undefined;
    const fault = isClosed ? faultOf(text, quote, closings) : "trailing";
    return { ...toText(text.slice(1, last) + end, quote, fault), comment };
  }
  const first = closings[0] ?? last;
  if (!isWhole && closings.length === 1 && isSentence(text.slice(1, first), text.slice(first + 1))) {
    const after = text.slice(first + 1);
    const gap = /^\s/.test(after) || /[\p{Script=Han}。！？，；：]$/u.test(text.slice(0, first)) ? "" : " ";
    return toText(text.slice(1, first) + gap + after, quote, "trailing");
  }
  return { lines: text.split("\n"), fault: "trailing", isLiteral: false };
}

function toText(content: string, quote: Quote, fault: QuotedText["fault"]): QuotedText {
  if (quote === "'") return { lines: content.replaceAll("''", "'").split("\n"), fault, isLiteral: false };
  const isLiteral = content.includes("\\n") && !hasBadEscape(content);
  const text = decodeDouble(isLiteral ? content.replaceAll("\n", " ") : content);
  return { lines: text.split("\n"), fault, isLiteral };
}

/** The offsets of all unescaped quotes after the first. */
function findQuotes(text: string, quote: Quote): readonly number[] {
  const found: number[] = [];
  for (let at = 1; at < text.length; at += 1) {
    if (quote === '"' && text[at] === "\\") at += 1;
    else if (quote === "'" && text[at] === quote && text[at + 1] === quote) at += 1;
    else if (text[at] === quote) found.push(at);
  }
  return found;
}

function faultOf(text: string, quote: Quote, closings: readonly number[]): QuotedText["fault"] {
  if (closings.length > 1) return "inner";
  return quote === '"' && hasBadEscape(text) ? "escape" : "unindented";
}

function isOnlyPunctuation(text: string): boolean {
  return /^[\s,.;。，；！？!?]*$/.test(text);
}

/** `"a" and "b"`: both ends are quotes, but not of the same pair. */
function isPhrasePair(text: string, closings: readonly number[]): boolean {
  const [first] = closings;
  const lastInner = closings.at(-2);
  if (first === undefined || lastInner === undefined || closings.length % 2 === 0) return false;
  const closesFirst = /\S/.test(text[first - 1] ?? " ") && /[\s,.;:)，。、；]/.test(text[first + 1] ?? " ");
  const opensLast = /[\s(（，、]/.test(text[lastInner - 1] ?? "x") && /\S/.test(text[lastInner + 1] ?? " ");
  return closesFirst && opensLast;
}

/** True when the quoted part is a sentence of its own and not a phrase within the rest. */
function isSentence(content: string, rest: string): boolean {
  return (
    /[.!?;:。！？；：…]$/.test(content.trimEnd()) ||
    /^[ \t]*\n/.test(rest) ||
    content.length >= rest.length * 2
  );
}

const ESCAPE = /\\(?:["\\/abefnrtv0 N_LP\n]|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|([\s\S]?))/g;

function hasBadEscape(text: string): boolean {
  return text.includes("\\") && [...text.matchAll(ESCAPE)].some((match) => match[1] !== undefined);
}

/** One invalid escape means that the author did not intend any escapes. */
function decodeDouble(text: string): string {
  if (!text.includes("\\")) return text;
  if (hasBadEscape(text)) return text.replaceAll('\\"', '"');
  return text.replace(ESCAPE, (sequence) => decodeEscape(sequence));
}

const PLAIN_ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\n",
  N: "\n",
  L: "\n",
  P: "\n",
  _: " ",
};

function decodeEscape(sequence: string): string {
  const kind = sequence[1] ?? "";
  if (sequence.length > 2) {
    const code = Number.parseInt(sequence.slice(2), 16);
    return code > 0x1f && code <= 0x10_ffff ? String.fromCodePoint(code) : sequence;
  }
  if (/["\\/ ]/.test(kind)) return kind;
  return kind === "\n" ? "" : (PLAIN_ESCAPES[kind] ?? "");
}
