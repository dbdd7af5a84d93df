import type { Limits } from "@skillhold/protocol/limits";
import type { FrontmatterValue } from "./value.ts";
import { isFaithful, isTypedText, type NodeReading, type YamlFeature } from "./yaml-node.ts";

/** The text is certainly not valid YAML. */
export const BROKEN: unique symbol = Symbol("broken");

/**
 * Reads the YAML of usual frontmatter: mappings and lists, text in quotes and blocks, collections in brackets,
 * comments. Many times as fast as the full reader. Returns undefined for anything else, and the full reader decides. A
 * property test checks that both give the same result.
 */
export function readPlainYaml(text: string, limits: Limits): NodeReading | typeof BROKEN | undefined {
  if (UNUSUAL.test(text)) return undefined;
  const reader = new PlainReader(text, limits);
  try {
    return reader.read();
  } catch (error) {
    if (error === BROKEN) return isSmall(text, limits) ? BROKEN : undefined;
    if (error === UNKNOWN) return undefined;
    throw error;
  }
}

const UNKNOWN: unique symbol = Symbol("unknown");

/** Tabs, control characters and line ends of other systems. */
const UNUSUAL = /[^\n\x20-\x7E\u00A0-\u2027\u202A-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD\u{10000}-\u{10FFFF}]/u;

/** More than the full reader takes for one line, and for one value in brackets. */
const TOKENS_PER_LINE = 10;
const TOKENS_PER_ITEM = 8;

/** The full reader counts levels in another way, by at most this many. */
const SPARE_LEVELS = 3;
const MOST_LEVELS = 12;

const KEY = /[A-Za-z_][A-Za-z0-9_.-]{0,127}(?=:(?:[ \n]|$))/y;
const FLOW_KEY = /[A-Za-z_][A-Za-z0-9_.-]{0,127}(?=: )/y;
const DASH = /-(?= +[^ \n])/y;
const BLOCK_HEADER = /([|>])(-?) *(?: #[^\n]*)?\n/y;
const DOUBLE_QUOTED = /"(?:[^"\\\n]|\\["\\/bfnrt])*"/y;
const SINGLE_QUOTED = /'(?:[^'\n]|'')*'/y;
const PLAIN_IN_FLOW = /[^,[\]{}\n#]*/y;
const LINE_END = / *(?: #[^\n]*)?(?:\n|$)/y;

/** The first character of a plain scalar; others can have a meaning. */
const PLAIN_START = /^(?:[^\s!"#%&'*,:>?@[\]`{|}-]|-[^\s,[\]{}])/;
const COLON = /:(?: |$)/;

class PlainReader {
  readonly #text: string;
  readonly #most: number;
  readonly #levels: number;
  readonly #keys = new Map<string, number>();
  readonly #texts = new Map<string, string>();
  readonly #untyped: string[] = [];
  readonly #features = new Set<YamlFeature>();
  readonly #path: string[] = [];
  #tokens = 0;
  /** The offset of the first character of the current entry, and its column. */
  #at = 0;
  #column = 0;

  constructor(text: string, limits: Limits) {
    this.#text = text;
    this.#most = Math.min(limits.yamlTokens, limits.yamlNodes);
    this.#levels = Math.min(MOST_LEVELS, limits.yamlDepth - SPARE_LEVELS);
  }

  read(): NodeReading | undefined {
    this.#toContent(0);
    if (this.#at === this.#text.length || this.#column !== 0) return undefined;
    const value = this.#readMap(0);
    if (this.#at < this.#text.length) return undefined;
    return {
      value,
      faults: [],
      keys: this.#keys,
      texts: this.#texts,
      untyped: this.#untyped,
      features: this.#features,
    };
  }

  /** Moves to the next line with content, from the start of a line. */
  #toContent(lineStart: number): void {
    let start = lineStart;
    for (;;) {
      let at = start;
      while (this.#text.charCodeAt(at) === SPACE) at += 1;
      this.#at = at;
      this.#column = at - start;
      const unit = this.#text.charCodeAt(at);
      if (unit !== HASH && unit !== NEWLINE) return;
      this.#spend(TOKENS_PER_LINE);
      start = this.#lineAfter(at);
    }
  }

  #lineAfter(at: number): number {
    const end = this.#text.indexOf("\n", at);
    return end === -1 ? this.#text.length : end + 1;
  }

  #readMap(column: number): FrontmatterValue {
    const data: Record<string, FrontmatterValue> = Object.create(null);
    while (this.#at < this.#text.length && this.#column === column) {
      const key = this.#match(KEY, this.#at) ?? stop();
      if (key in data) stop();
      if (this.#path.length === 0) this.#keys.set(key, this.#at);
      this.#enter(key);
      data[key] = this.#readValue(this.#at + key.length + 1, column, true);
      this.#path.pop();
    }
    if (this.#at < this.#text.length && this.#column > column) stop();
    return data;
  }

  #readList(column: number): FrontmatterValue {
    const list: FrontmatterValue[] = [];
    while (
      this.#at < this.#text.length &&
      this.#column === column &&
      this.#match(DASH, this.#at) !== undefined
    ) {
      this.#enter(String(list.length));
      const dash = this.#at;
      const start = this.#skipSpaces(dash + 1);
      if (this.#match(KEY, start) === undefined) list.push(this.#readValue(start, column, false));
      else {
        this.#at = start;
        this.#column = column + start - dash;
        list.push(this.#readMap(this.#column));
      }
      this.#path.pop();
    }
    if (this.#at < this.#text.length && this.#column > column) stop();
    return list;
  }

  #enter(step: string): void {
    this.#spend(TOKENS_PER_LINE);
    this.#path.push(step);
    if (this.#path.length > this.#levels) stop();
  }

  /** Reads a value after its key or dash, which is at `column`, and moves to the next line with content. */
  #readValue(after: number, column: number, isField: boolean): FrontmatterValue {
    const start = this.#skipSpaces(after);
    const rest = this.#match(LINE_END, after);
    if (rest !== undefined) return this.#readBelow(after + rest.length, column, isField);
    const unit = this.#text.charCodeAt(start);
    if (unit === PIPE || unit === GREATER) return this.#readBlockText(start, column);
    return this.#readInline(start, column, isField);
  }

  /** The value below a key without one on its line. */
  #readBelow(lineStart: number, column: number, isField: boolean): FrontmatterValue {
    if (!isField) stop();
    this.#toContent(lineStart);
    const isOver = this.#at === this.#text.length || this.#column < column;
    const isList = !isOver && this.#match(DASH, this.#at) !== undefined;
    if (isOver || (this.#column === column && !isList)) return this.#toScalar("");
    if (isList) return this.#readList(this.#column);
    if (this.#match(KEY, this.#at) !== undefined) return this.#readMap(this.#column);
    const unit = this.#text.charCodeAt(this.#at);
    const isNext = this.#at - this.#column === lineStart;
    return unit === PIPE || unit === GREATER || !isNext ? stop() : this.#readInline(this.#at, column, false);
  }

  #readInline(start: number, column: number, isField: boolean): FrontmatterValue {
    const unit = this.#text.charCodeAt(start);
    if (unit === BRACKET || unit === BRACE) {
      const flow = { at: start, column };
      const value = this.#readFlow(flow);
      if (this.#text.slice(start, flow.at).includes("\n")) this.#features.add("multi-line flow collection");
      this.#endLine(flow.at);
      return value;
    }
    const quoted = this.#readQuoted(start);
    if (quoted !== undefined) {
      this.#endLine(start + quoted.length);
      return unquote(quoted);
    }
    return this.#readPlain(start, column, isField);
  }

  #endLine(at: number): void {
    const rest = this.#match(LINE_END, at) ?? stop();
    this.#toContent(at + rest.length);
  }

  /** Text without quotes, with the deeper lines below it. */
  #readPlain(start: number, column: number, isField: boolean): FrontmatterValue {
    const next = this.#lineAfter(start);
    const line = trimSpaces(this.#text.slice(start, next));
    if (!PLAIN_START.test(line)) stop();
    const comment = line.indexOf(" #");
    const first = comment === -1 ? line : trimSpaces(line.slice(0, comment));
    if (COLON.test(first)) throw isField ? BROKEN : UNKNOWN;
    this.#toContent(next);
    if (this.#at === this.#text.length || this.#column <= column) return this.#toScalar(first);
    if (comment !== -1) stop();
    return this.#readPlainLines(first, next, column);
  }

  #readPlainLines(first: string, lineStart: number, column: number): FrontmatterValue {
    let text = first;
    let start = lineStart;
    while (this.#at < this.#text.length && this.#column > column) {
      // A blank line or a comment came between.
      if (this.#at - this.#column !== start) stop();
      const next = this.#lineAfter(start);
      const line = trimSpaces(this.#text.slice(this.#at, next));
      if (COLON.test(line) || line.includes(" #")) stop();
      text += ` ${line}`;
      start = next;
      this.#toContent(next);
    }
    return this.#toScalar(text);
  }

  /** A block of text after `|` or `>`. */
  #readBlockText(start: number, column: number): FrontmatterValue {
    BLOCK_HEADER.lastIndex = start;
    const header = BLOCK_HEADER.exec(this.#text) ?? stop();
    const lines: string[] = [];
    let margin = 0;
    let at = start + header[0].length;
    while (at < this.#text.length) {
      const next = this.#text.indexOf("\n", at);
      if (next === -1) stop();
      const line = this.#text.slice(at, next);
      const indent = this.#skipSpaces(at) - at;
      if (lines.length === 0) margin = indent;
      if (indent === line.length) {
        if (lines.length === 0 || indent > margin) stop();
        lines.push("");
      } else if (indent >= margin && margin > column) lines.push(line.slice(margin));
      else if (indent > column || lines.length === 0) stop();
      else break;
      this.#spend(1);
      at = next + 1;
    }
    while (lines.at(-1) === "") lines.pop();
    if (lines.length === 0) stop();
    this.#toContent(at);
    return (header[1] === "|" ? lines.join("\n") : fold(lines)) + (header[2] === "-" ? "" : "\n");
  }

  #readFlow(flow: Flow): FrontmatterValue {
    if (this.#path.length >= this.#levels) stop();
    this.#spend(TOKENS_PER_ITEM);
    const isMap = this.#text.charCodeAt(flow.at) === BRACE;
    const close = isMap ? BRACE_END : BRACKET_END;
    const data: Record<string, FrontmatterValue> = Object.create(null);
    const list: FrontmatterValue[] = [];
    flow.at += 1;
    for (;;) {
      this.#skipFlowSpace(flow);
      if (this.#text.charCodeAt(flow.at) === close) break;
      const key = isMap ? this.#readFlowKey(flow) : String(list.length);
      if (key in data) stop();
      this.#path.push(key);
      const value = this.#readFlowValue(flow);
      this.#path.pop();
      if (isMap) data[key] = value;
      else list.push(value);
      this.#skipFlowSpace(flow);
      if (this.#text.charCodeAt(flow.at) === COMMA) flow.at += 1;
      else if (this.#text.charCodeAt(flow.at) !== close) stop();
    }
    flow.at += 1;
    return isMap ? data : list;
  }

  #readFlowKey(flow: Flow): string {
    const quoted = this.#readQuoted(flow.at);
    const key = quoted ?? this.#match(FLOW_KEY, flow.at) ?? stop();
    flow.at += key.length;
    if (key.length > LONGEST_KEY || this.#text.charCodeAt(flow.at) !== COLON_UNIT) stop();
    flow.at += 1;
    this.#skipFlowSpace(flow);
    return quoted === undefined ? key : unquote(quoted);
  }

  #readFlowValue(flow: Flow): FrontmatterValue {
    this.#spend(TOKENS_PER_ITEM);
    const unit = this.#text.charCodeAt(flow.at);
    if (unit === BRACKET || unit === BRACE) return this.#readFlow(flow);
    const quoted = this.#readQuoted(flow.at);
    if (quoted !== undefined) {
      flow.at += quoted.length;
      return unquote(quoted);
    }
    const raw = this.#match(PLAIN_IN_FLOW, flow.at) ?? stop();
    flow.at += raw.length;
    const plain = trimSpaces(raw);
    if (!PLAIN_START.test(plain) || COLON.test(plain) || plain === "-") stop();
    return this.#toScalar(plain);
  }

  /** Lines of a collection are deeper than its parent. */
  #skipFlowSpace(flow: Flow): void {
    flow.at = this.#skipSpaces(flow.at);
    while (this.#text.charCodeAt(flow.at) === NEWLINE) {
      const next = this.#skipSpaces(flow.at + 1);
      if (next - flow.at - 1 <= flow.column) stop();
      flow.at = next;
      this.#spend(TOKENS_PER_LINE);
    }
  }

  #readQuoted(at: number): string | undefined {
    const unit = this.#text.charCodeAt(at);
    if (unit !== DOUBLE_QUOTE && unit !== SINGLE_QUOTE) return undefined;
    return this.#match(unit === DOUBLE_QUOTE ? DOUBLE_QUOTED : SINGLE_QUOTED, at) ?? stop();
  }

  /** The value of an unquoted scalar, as `readNode` gives it. */
  #toScalar(source: string): FrontmatterValue {
    const value = resolveScalar(source);
    const path = this.#path;
    if (path[0] === "metadata" && path.length > 1) {
      if (typeof value !== "string" || isTypedText(source)) this.#untyped.push(path.slice(1).join("."));
      return source;
    }
    if (path.length === 1 && typeof value !== "string") this.#texts.set(path[0] ?? "", source);
    return typeof value === "number" && !isFaithful(value) ? source : value;
  }

  #skipSpaces(from: number): number {
    let at = from;
    while (this.#text.charCodeAt(at) === SPACE) at += 1;
    return at;
  }

  #match(pattern: RegExp, at: number): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.#text)?.[0];
  }

  #spend(tokens: number): void {
    this.#tokens += tokens;
    if (this.#tokens > this.#most) stop();
  }
}

/** A position in a collection in brackets, and the column of its parent. */
interface Flow {
  at: number;
  readonly column: number;
}

const SPACE = 0x20;
const NEWLINE = 0x0a;
const HASH = 0x23;
const PIPE = 0x7c;
const GREATER = 0x3e;
const BRACKET = 0x5b;
const BRACKET_END = 0x5d;
const BRACE = 0x7b;
const BRACE_END = 0x7d;
const COMMA = 0x2c;
const COLON_UNIT = 0x3a;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;

/** YAML allows longer keys only in a form that this reader does not read. */
const LONGEST_KEY = 1000;

function stop(): never {
  throw UNKNOWN;
}

/** Only spaces: the other white space of `trim` is text in YAML. */
function trimSpaces(text: string): string {
  let end = text.length;
  while (end > 0 && (text.charCodeAt(end - 1) === SPACE || text.charCodeAt(end - 1) === NEWLINE)) end -= 1;
  return text.slice(0, end);
}

function unquote(quoted: string): string {
  if (quoted.charCodeAt(0) === SINGLE_QUOTE) return quoted.slice(1, -1).replaceAll("''", "'");
  // The pattern allows only the escapes of JSON.
  return quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

/** Lines of folded text: a line end is a space, and each blank line is a line end. */
function fold(lines: readonly string[]): string {
  let text = "";
  let isAfterText = false;
  for (const line of lines) {
    if (line.charCodeAt(0) === SPACE) stop();
    if (line === "") text += "\n";
    else text += isAfterText ? ` ${line}` : line;
    isAfterText = line !== "";
  }
  return text;
}

const NULL = /^(?:~|null|Null|NULL)?$/;
const BOOLEAN = /^(?:true|True|TRUE|false|False|FALSE)$/;
const INTEGER = /^[-+]?\d+$/;
const FLOAT = /^[-+]?(?:\.\d+|\d+\.\d*|(?:\.\d+|\d+(?:\.\d*)?)[eE][-+]?\d+)$/;
const OTHER_NUMBER = /^(?:0o[0-7]+|0x[\da-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

/** The core schema of YAML 1.2. */
function resolveScalar(text: string): string | number | boolean | null {
  if (!TYPED_START.test(text)) return text;
  if (NULL.test(text)) return null;
  if (BOOLEAN.test(text)) return text[0] === "t" || text[0] === "T";
  if (INTEGER.test(text) || FLOAT.test(text)) return Number(text);
  return OTHER_NUMBER.test(text) ? stop() : text;
}

const TYPED_START = /^(?:[-+.~\dNnTtFf]|$)/;

const INDICATORS = /[,[\]{}:"'#&*!|>?-]/g;

/** Each can add a level. */
const OPENERS = /[[{]|[-?:](?=\s|$)/g;

/** True when the full reader would stay within all limits for any text of these characters. */
function isSmall(text: string, limits: Limits): boolean {
  const lines = text.split("\n").length;
  const indicators = text.match(INDICATORS)?.length ?? 0;
  const cost = lines * TOKENS_PER_LINE + indicators * TOKENS_PER_ITEM;
  if ((text.match(OPENERS)?.length ?? 0) > limits.yamlDepth) return false;
  return cost <= Math.min(limits.repairTokens, limits.yamlTokens);
}
