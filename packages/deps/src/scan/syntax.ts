import { createRequire } from "node:module";
import type * as TreeSitter from "@vscode/tree-sitter-wasm";
import { WorkTime } from "./work-time.ts";

export type Language = "python" | "javascript" | "typescript" | "tsx" | "bash";
export type SyntaxNode = TreeSitter.Node;

/** What is looked for in a text. */
export interface Interest {
  /** Types of nodes to be found. */
  readonly find: readonly string[];
  /** Types of nodes to look into; all of them when absent. */
  readonly into?: readonly string[];
}

/**
 * Hands the nodes that are looked for to `read`, in the order of the text. False when the text is too hard to
 * parse, or broke the parser.
 *
 * Contract: nodes live only until `read` returns.
 */
export async function parseSyntax(
  language: Language,
  interest: Interest,
  text: string,
  read: (nodes: readonly SyntaxNode[]) => void,
  limitMs = MAX_MILLISECONDS,
): Promise<boolean> {
  let loaded = await load(language);
  // Another text may have broken the module in the meantime.
  while (broken.has(loaded.library)) loaded = await load(language);
  // Synchronous from here: no two texts are ever in the parser at once.
  try {
    return readText(loaded.parser, interest, text, read, limitMs);
  } catch (error) {
    if (!isBreakdown(error)) throw error;
    forget(loaded.library);
    return false;
  }
}

interface Loaded {
  readonly library: typeof TreeSitter;
  readonly parser: TreeSitter.Parser;
}

const PACKAGE = "@vscode/tree-sitter-wasm";
/** The parser asks after each hundred steps whether to go on. Real code takes one question for 200 characters. */
const QUESTIONS_AT_LEAST = 5000;
const CHARACTERS_A_QUESTION = 20;
/** It reads in pieces, and a piece again whenever it goes back. */
const PIECE = 5000;
const PIECES_AT_LEAST = 500;
const READINGS_A_PIECE = 20;
/** Steps among mistakes cost a hundred times as much as others; only a clock sees it. Real code takes a tenth. */
const MAX_MILLISECONDS = 5000;

const require = createRequire(import.meta.url);
let library: Promise<typeof TreeSitter> | undefined;
const languages = new Map<Language, Promise<Loaded>>();
const broken = new WeakSet<typeof TreeSitter>();

function load(language: Language): Promise<Loaded> {
  const known = languages.get(language);
  if (known !== undefined) return known;
  const loading = loadLanguage(language);
  languages.set(language, loading);
  return loading;
}

async function loadLanguage(name: Language): Promise<Loaded> {
  library ??= loadLibrary();
  const treeSitter = await library;
  const language = await treeSitter.Language.load(
    require.resolve(`${PACKAGE}/wasm/tree-sitter-${name}.wasm`),
  );
  const parser = new treeSitter.Parser().setLanguage(language);
  return { library: treeSitter, parser };
}

async function loadLibrary(): Promise<typeof TreeSitter> {
  // The package's types say what its main module exports.
  const loaded = require(PACKAGE) as typeof TreeSitter;
  await loaded.Parser.init();
  return loaded;
}

function readText(
  parser: TreeSitter.Parser,
  interest: Interest,
  text: string,
  read: (nodes: readonly SyntaxNode[]) => void,
  limitMs: number,
): boolean {
  const tree = parseBounded(parser, text, limitMs);
  if (tree === null) return false;
  const cursor = tree.walk();
  try {
    read(findNodes(cursor, interest));
    return true;
  } finally {
    cursor.delete();
    tree.delete();
  }
}

/** Bounded in steps first, so that all but hostile texts are read alike on every machine. */
function parseBounded(parser: TreeSitter.Parser, text: string, limitMs: number): TreeSitter.Tree | null {
  let questions = QUESTIONS_AT_LEAST + text.length / CHARACTERS_A_QUESTION;
  let pieces = PIECES_AT_LEAST + (READINGS_A_PIECE * text.length) / PIECE;
  const work = new WorkTime();
  let isParsed = false;
  const tree = parser.parse(
    (index) => {
      if (!isParsed) pieces -= 1;
      // An end that comes too early lets the parser stop; what it made of the text is thrown away.
      return pieces < 0 && !isParsed ? "" : text.slice(index, index + PIECE);
    },
    null,
    {
      progressCallback: () => {
        questions -= 1;
        return questions < 0 || pieces < 0 || work.exceeds(limitMs);
      },
    },
  );
  // From here on it is asked for the text of nodes.
  isParsed = true;
  if (tree === null) parser.reset();
  else if (pieces < 0) tree.delete();
  return pieces < 0 ? null : tree;
}

/** One walk, because a query takes time in the square of what is nested or wrong. */
function findNodes(cursor: TreeSitter.TreeCursor, interest: Interest): readonly SyntaxNode[] {
  const find = new Set(interest.find);
  const into = interest.into === undefined ? undefined : new Set(interest.into);
  const found: SyntaxNode[] = [];
  for (;;) {
    const type = cursor.nodeType;
    if (find.has(type)) found.push(cursor.currentNode);
    if ((into === undefined || into.has(type)) && cursor.gotoFirstChild()) continue;
    while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return found;
  }
}

/** What a trap, an abort or an exhausted stack throws; anything else is a mistake of ours. */
function isBreakdown(error: unknown): boolean {
  return error instanceof Error && (error.name === "RuntimeError" || error.name === "RangeError");
}

/** After a trap nothing in the module's memory can be trusted: the next text gets a new module. */
function forget(module: typeof TreeSitter): void {
  broken.add(module);
  library = undefined;
  languages.clear();
  delete require.cache[require.resolve(PACKAGE)];
}
