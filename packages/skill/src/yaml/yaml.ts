import type { Limits } from "@skillhold/protocol/limits";
import { Composer, type Document, Lexer, Parser } from "yaml";
import type { FrontmatterValue } from "./value.ts";
import { isTypedText, type NodeFault, type NodeReading, readNode } from "./yaml-node.ts";

export interface YamlReading extends Omit<NodeReading, "value"> {
  /** Undefined when a fault makes the text unreadable as YAML. */
  readonly value: FrontmatterValue | undefined;
  readonly faults: readonly NodeFault[];
  /** The number of tokens, to which the work is proportional. */
  readonly tokens: number;
}

type Token = Parameters<Composer["next"]>[0];
type Tokens = { readonly list: readonly Token[]; readonly count: number; readonly fault?: NodeFault };

/**
 * Reads YAML 1.2 (core schema, no custom tags) in linear time and memory for any text. Text that is too large, too
 * deep or expands too far becomes a fault. Never throws.
 */
export function readYaml(text: string, limits: Limits): YamlReading {
  const plain = readPlainYaml(text);
  return plain === undefined ? readFullYaml(text, limits) : { ...plain, tokens: 0 };
}

/** Reads any YAML. */
export function readFullYaml(text: string, limits: Limits): YamlReading {
  const tokens = readTokens(text, limits);
  if (tokens.fault !== undefined) return failed([tokens.fault], tokens.count);
  const documents = compose(tokens.list, text.length);
  const faults = documents.flatMap((document) => document.errors.map((error) => fromYamlError(error)));
  const [document, extra] = documents;
  if (extra !== undefined)
    faults.push({ code: "YAML_INVALID", offset: extra.range[0], message: "a second document starts here" });
  if (document === undefined || faults.length > 0) return failed(faults, tokens.count);
  const reading = readNode(document.contents, text, limits);
  const isReadable = reading.faults.every((fault) => fault.code === "YAML_TAG");
  return { ...reading, value: isReadable ? reading.value : undefined, tokens: tokens.count };
}

/** Feeds the parser token by token, so that hostile text stops early. */
function readTokens(text: string, limits: Limits): Tokens {
  const parser = new Parser();
  const list: Token[] = [];
  let count = 0;
  let flowDepth = 0;
  let lineNesting = 0;
  for (const lexeme of new Lexer().lex(text)) {
    count += 1;
    if (lexeme === "[" || lexeme === "{") flowDepth += 1;
    else if (lexeme === "]" || lexeme === "}") flowDepth -= 1;
    else if (lexeme === "\n") lineNesting = 0;
    else if (flowDepth === 0 && (lexeme === "-" || lexeme === "?" || lexeme === ":")) lineNesting += 1;
    if (count > limits.yamlTokens) return { list, count, fault: tooMuch("has too many tokens") };
    if (flowDepth + lineNesting > limits.yamlDepth)
      return { list, count, fault: tooMuch("is nested too deeply") };
    for (const token of parser.next(lexeme)) list.push(token);
  }
  for (const token of parser.end()) list.push(token);
  return { list, count };
}

function compose(tokens: readonly Token[], length: number): readonly Document.Parsed[] {
  const composer = new Composer({
    version: "1.2",
    strict: true,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  // The library creates an Error per fault, and the unused stack trace is most of its cost.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return [...composer.compose(tokens, true, length)];
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function fromYamlError(error: {
  readonly pos: readonly [number, number];
  readonly message: string;
}): NodeFault {
  return { code: "YAML_INVALID", offset: error.pos[0], message: error.message };
}

function tooMuch(what: string): NodeFault {
  return { code: "FRONTMATTER_TOO_COMPLEX", offset: 0, message: `the YAML ${what}` };
}

function failed(faults: readonly NodeFault[], tokens: number): YamlReading {
  return {
    value: undefined,
    faults,
    tokens,
    keys: new Map(),
    texts: new Map(),
    untyped: [],
    features: new Set(),
  };
}

/**
 * Reads simple frontmatter: lines of `key: text`, with one level of nesting. About thirty times as fast as the full
 * reader. Returns undefined for anything else, and the full reader decides. A property test checks that both give the
 * same result.
 */
export function readPlainYaml(text: string): NodeReading | undefined {
  const data: Record<string, FrontmatterValue> = Object.create(null);
  const keys = new Map<string, number>();
  const untyped: string[] = [];
  let parent: Parent | undefined;
  for (let start = 0; start < text.length; ) {
    const stop = text.indexOf("\n", start);
    const end = stop === -1 ? text.length : stop;
    const line = text.slice(start, end);
    const isNested = line.charCodeAt(0) === SPACE;
    const match = LINE.exec(line);
    if (match === null || isNested !== (match[1] === "  ")) return undefined;
    const [, , key = "", value = ""] = match;
    if (!isNested) {
      if (parent?.isEmpty || key in data) return undefined;
      parent = value === "" ? { key, map: Object.create(null), isEmpty: true } : undefined;
      const read = parent?.map ?? readText(value);
      if (read === undefined) return undefined;
      data[key] = read;
      keys.set(key, start);
    } else {
      const read = parent === undefined || key in parent.map ? undefined : readText(value);
      if (parent === undefined || read === undefined) return undefined;
      parent.map[key] = read;
      parent.isEmpty = false;
      if (parent.key === "metadata" && isTypedText(value)) untyped.push(key);
    }
    start = end + 1;
  }
  if (keys.size === 0 || parent?.isEmpty) return undefined;
  return { value: data, faults: NONE, keys, texts: NO_TEXTS, untyped, features: NO_FEATURES };
}

interface Parent {
  readonly key: string;
  readonly map: Record<string, FrontmatterValue>;
  isEmpty: boolean;
}

const SPACE = 0x20;
const NONE: readonly never[] = [];
const NO_TEXTS: NodeReading["texts"] = new Map();
const NO_FEATURES: NodeReading["features"] = new Set();

/** An indent of zero or two spaces, a word as key, a colon, and the value without trailing spaces. */
const LINE = /^( {2})?([A-Za-z_][A-Za-z0-9_-]*):(?: +(\S(?:.*\S)?))? *$/;

/** Characters that can make a value more than a plain string in YAML. */
const RISKY = /: |:$| #|[^\x20-\x7E\u00A1-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD]/;
const WORDS = /^(?:null|true|false|y|n|yes|no|on|off)$/i;
const QUOTED = /^"[^"\\]*"$|^'[^']*'$/;

function readText(value: string): string | undefined {
  const first = value.charCodeAt(0);
  if (first === 0x22 || first === 0x27) {
    return QUOTED.test(value) && !UNPRINTABLE.test(value) ? value.slice(1, -1) : undefined;
  }
  if (RISKY.test(value)) return undefined;
  if (isLetter(first)) return WORDS.test(value) ? undefined : value;
  return isDigit(first) && NOT_NUMBER.test(value) ? value : undefined;
}

const UNPRINTABLE = /[^\x20-\x7E\u00A1-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD]/;
/** Starts with digits but is not a number: `1.0.0`, `2026-01-02`, `3 steps`. */
const NOT_NUMBER = /^\d+(?:\.\d+){2,}$|^\d{4}-\d\d-\d\d$|^\d+ [A-Za-z]/;

function isLetter(unit: number): boolean {
  return (
    (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x3041 && unit <= 0x9fff)
  );
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}
