import type { Limits } from "@skillhold/protocol/limits";
import { Composer, type Document, Lexer, Parser } from "yaml";
import type { FrontmatterValue } from "./value.ts";
import { type NodeFault, type NodeReading, readNode } from "./yaml-node.ts";
import { readPlainYaml } from "./yaml-plain.ts";

export interface YamlReading extends Omit<NodeReading, "value"> {
  /** Undefined when a fault makes the text unreadable as YAML. */
  readonly value: FrontmatterValue | undefined;
  readonly faults: readonly NodeFault[];
  /** How much there was to read; the work of reading is proportional to it. */
  readonly tokens: number;
}

type Token = Parameters<Composer["next"]>[0];
type Tokens = { readonly list: readonly Token[]; readonly count: number; readonly fault?: NodeFault };

/**
 * Reads YAML 1.2 (core schema, no custom tags) in linear time and memory, whatever the text: what is too large,
 * too deep, or expands too far becomes a fault. Never throws.
 */
export function readYaml(text: string, limits: Limits): YamlReading {
  const plain = readPlainYaml(text);
  return plain === undefined ? readFullYaml(text, limits) : { ...plain, tokens: 0 };
}

/** The reader for all of YAML. */
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

/** Feeds the parser word by word, so that a text made to be slow is given up early. */
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
    if (count > limits.yamlTokens)
      return { list, count, fault: tooMuch("has more parts than any skill needs") };
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
  // The library makes an Error for each fault and most of its cost is the stack trace, which nobody reads.
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
