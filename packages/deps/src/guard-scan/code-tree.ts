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
      tree = { text, ...copy(cursor) };
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
  readonly startPosition: { readonly row: number };
  gotoFirstChild(): boolean;
  gotoNextSibling(): boolean;
  gotoParent(): boolean;
}

interface Open extends CodeNode {
  readonly kids: CodeNode[];
}

function copy(cursor: Cursor): { readonly root: CodeNode; readonly isCut: boolean } {
  const root = nodeAt(cursor);
  const stack: Open[] = [root];
  let nodes = 1;
  let isCut = false;
  let depth = 0;
  for (;;) {
    const isDeep = depth >= MAX_DEPTH;
    if (!isDeep && nodes < MAX_NODES && cursor.gotoFirstChild()) depth += 1;
    else {
      isCut ||= isDeep || nodes >= MAX_NODES;
      let isMoved = cursor.gotoNextSibling();
      stack.pop();
      while (!isMoved) {
        if (depth <= 1 || !cursor.gotoParent()) return { root, isCut: isCut && nodes > 1 };
        depth -= 1;
        stack.pop();
        isMoved = cursor.gotoNextSibling();
      }
    }
    const node = nodeAt(cursor);
    // Anonymous nodes are punctuation and keywords; they have no children.
    if (cursor.nodeIsNamed) {
      stack.at(-1)?.kids.push(node);
      nodes += 1;
    }
    stack.push(node);
  }
}

function nodeAt(cursor: Cursor): Open {
  return {
    type: cursor.nodeType,
    start: cursor.startIndex,
    end: cursor.endIndex,
    row: cursor.startPosition.row,
    kids: [],
  };
}
