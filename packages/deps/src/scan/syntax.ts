import { createRequire } from "node:module";
import type * as TreeSitter from "@vscode/tree-sitter-wasm";
import { WorkTime } from "./work-time.ts";

/** The distribution contains the grammars of these languages only. */
export const languages = ["python", "javascript", "typescript", "tsx", "bash"] as const;
export type Language = (typeof languages)[number];
export type SyntaxNode = TreeSitter.Node;

/** The nodes to collect from a syntax tree. */
export interface Interest {
  /** Node types to collect. */
  readonly find: readonly string[];
  /** Node types to descend into; all when absent. */
  readonly into?: readonly string[];
}

/**
 * Passes the matching nodes to `read` in document order. Returns false when parsing exceeds its limits or the
 * parser fails.
 *
 * Contract: nodes are valid only until `read` returns.
 */
export async function parseSyntax(
  language: Language,
  interest: Interest,
  text: string,
  read: (nodes: readonly SyntaxNode[]) => void,
  limitMs = MAX_MILLISECONDS,
): Promise<boolean> {
  let loaded = await load(language);
  // Another file may have broken the module in the meantime.
  while (broken.has(loaded.library)) loaded = await load(language);
  // Synchronous from here on, so the parser never handles two files at once.
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
/** The parser calls back after each hundred steps. Real code needs one call per 200 characters. */
const QUESTIONS_AT_LEAST = 5000;
const CHARACTERS_A_QUESTION = 20;
/** The parser reads in pieces, and reads a piece again when it backtracks. */
const PIECE = 5000;
const PIECES_AT_LEAST = 500;
const READINGS_A_PIECE = 20;
/**
 * Error recovery makes steps a hundred times slower, and only a clock detects that. Real code needs a tenth.
 */
const MAX_MILLISECONDS = 5000;

const require = createRequire(import.meta.url);
let library: Promise<typeof TreeSitter> | undefined;
const loadedLanguages = new Map<Language, Promise<Loaded>>();
const broken = new WeakSet<typeof TreeSitter>();

function load(language: Language): Promise<Loaded> {
  const known = loadedLanguages.get(language);
  if (known !== undefined) return known;
  const loading = loadLanguage(language);
  loadedLanguages.set(language, loading);
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
  // The package's types describe its main module.
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

/** Limits steps first, so that all but hostile files give the same result on every machine. */
function parseBounded(parser: TreeSitter.Parser, text: string, limitMs: number): TreeSitter.Tree | null {
  let questions = QUESTIONS_AT_LEAST + text.length / CHARACTERS_A_QUESTION;
  let pieces = PIECES_AT_LEAST + (READINGS_A_PIECE * text.length) / PIECE;
  const work = new WorkTime();
  let isParsed = false;
  const tree = parser.parse(
    (index) => {
      if (!isParsed) pieces -= 1;
      // An early end of input stops the parser; the partial tree is discarded.
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
  // From here on, the parser reads the text of nodes.
  isParsed = true;
  if (tree === null) parser.reset();
  else if (pieces < 0) tree.delete();
  return pieces < 0 ? null : tree;
}

/** A single walk, because queries take quadratic time on deeply nested or broken code. */
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

/** True for a trap, an abort or a stack overflow; other errors are bugs. */
function isBreakdown(error: unknown): boolean {
  return error instanceof Error && (error.name === "RuntimeError" || error.name === "RangeError");
}

/** After a trap the module's memory is unreliable, so the next file gets a new module. */
function forget(module: typeof TreeSitter): void {
  broken.add(module);
  library = undefined;
  loadedLanguages.clear();
  delete require.cache[require.resolve(PACKAGE)];
}
