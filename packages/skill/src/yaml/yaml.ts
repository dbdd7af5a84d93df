import type { Limits } from "@skillhold/protocol/limits";
import { Composer, type Document, Lexer, Parser } from "yaml";
import { BROKEN, readPlainYaml } from "./plain-yaml.ts";
import type { FrontmatterValue } from "./value.ts";
import { type NodeFault, type NodeReading, readNode } from "./yaml-node.ts";

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
  const plain = readPlainYaml(text, limits);
  return plain === undefined || plain === BROKEN ? readFullYaml(text, limits) : { ...plain, tokens: 0 };
}

/** The same without the positions of faults, which take most of the time in text that is not valid YAML. */
export function tryYaml(text: string, limits: Limits): YamlReading {
  const plain = readPlainYaml(text, limits);
  if (plain === BROKEN) return failed([INVALID], 0);
  return plain === undefined ? readFullYaml(text, limits) : { ...plain, tokens: 0 };
}

const INVALID: NodeFault = { code: "YAML_INVALID", offset: 0, message: "the text is not valid YAML" };

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
