import { type Language, parseSyntax, type SyntaxNode } from "../scan/syntax.ts";

/** A named node of a syntax tree, copied out of the parser's memory. */
export interface CodeNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  /** From 0. */
  readonly row: number;
  readonly kids: readonly CodeNode[];
}

export interface CodeTree {
  readonly root: CodeNode;
  readonly text: string;
  /** Whether the tree was cut because it is too large or too deep. */
  readonly isCut: boolean;
}

const MAX_NODES = 150_000;
const MAX_DEPTH = 150;
const ROOTS = ["module", "program"];

/** Parses a text into plain objects; undefined when it is too hard to parse. Deep and large parts are cut off. */
export async function parseCode(
  language: Language,
  text: string,
  limitMs: number,
): Promise<CodeTree | undefined> {
  let tree: CodeTree | undefined;
  const read = ([root]: readonly SyntaxNode[]) => {
    if (root === undefined) return;
    const cursor = root.walk();
    try {
      tree = { text, ...copy(cursor, text) };
    } finally {
      cursor.delete();
    }
  };
  await parseSyntax(language, { find: ROOTS, into: [] }, text, read, limitMs);
  return tree;
}

interface Cursor {
  readonly nodeType: string;
  readonly nodeIsNamed: boolean;
  readonly startIndex: number;
  readonly endIndex: number;
  gotoFirstChild(): boolean;
  gotoNextSibling(): boolean;
  gotoParent(): boolean;
}

interface Open extends CodeNode {
  readonly kids: CodeNode[];
}

/** Each property of a cursor is a call into the parser, so anonymous nodes are not read. */
function copy(cursor: Cursor, text: string): { readonly root: CodeNode; readonly isCut: boolean } {
  const rows = new RowCounter(text);
  const root = nodeAt(cursor, rows);
  const stack: Open[] = [root];
  let nodes = 1;
  let isCut = false;
  let depth = 0;
  let isNamed = true;
  for (;;) {
    const isDeep = depth >= MAX_DEPTH;
    // Anonymous nodes are punctuation and keywords; they have no children.
    const isOpen = isNamed && !isDeep && nodes < MAX_NODES;
    if (isOpen && cursor.gotoFirstChild()) depth += 1;
    else {
      isCut ||= isDeep || nodes >= MAX_NODES;
      let isMoved = cursor.gotoNextSibling();
      if (isNamed) stack.pop();
      while (!isMoved) {
        if (depth <= 1 || !cursor.gotoParent()) return { root, isCut: isCut && nodes > 1 };
        depth -= 1;
        stack.pop();
        isMoved = cursor.gotoNextSibling();
      }
    }
    isNamed = cursor.nodeIsNamed;
    if (!isNamed) continue;
    const node = nodeAt(cursor, rows);
    stack.at(-1)?.kids.push(node);
    nodes += 1;
    stack.push(node);
  }
}

function nodeAt(cursor: Cursor, rows: RowCounter): Open {
  const start = cursor.startIndex;
  return { type: named(cursor.nodeType), start, end: cursor.endIndex, row: rows.at(start), kids: [] };
}

const names = new Map<string, string>();

/** The same name as a property key, which compares by its address instead of its letters. */
function named(type: string): string {
  const known = names.get(type);
  if (known !== undefined) return known;
  const [name = type] = Object.keys({ [type]: true });
  names.set(type, name);
  return name;
}

/** The rows of positions in ascending order. */
class RowCounter {
  readonly #text: string;
  #row = 0;
  #next: number;

  constructor(text: string) {
    this.#text = text;
    this.#next = text.indexOf("\n");
  }

  at(position: number): number {
    while (this.#next !== -1 && this.#next < position) {
      this.#row += 1;
      this.#next = this.#text.indexOf("\n", this.#next + 1);
    }
    return this.#row;
  }
}
