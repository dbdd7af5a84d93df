import { createScanner, type Node, type ParseError, parseTree } from "jsonc-parser";
import { untouchable } from "./config-text.ts";

/** The parser calls itself for each level; no settings are nested nearly as deep. */
const MOST_LEVELS = 200;

/** The object that a text of JSON is, which may have comments and trailing commas; undefined when it says nothing. */
export function readTree(text: string): Node | undefined {
  rejectDeep(text);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  if (errors.length > 0) throw untouchable("it is not JSON that can be read");
  if (root !== undefined && root.type !== "object") throw untouchable("it is not an object");
  return root;
}

/** As `JSON.parse` would have it: of two equal keys the last one counts, and no key has a meaning of its own. */
export function dataOf({ type, value, children = [] }: Node): unknown {
  if (type === "array") return children.map(dataOf);
  if (type !== "object") return value;
  return Object.fromEntries(
    children.map((property) => [keyOf(property), dataOf(valueNode(property))] as const),
  );
}

/** The property of a table, undefined when it has none of this key. Of two, nobody knows which one a client takes. */
export function findProperty({ children = [] }: Node, key: string): Node | undefined {
  const [found, ...others] = children.filter((property) => keyOf(property) === key);
  if (others.length > 0) throw untouchable(`\`${key}\` is in it more than once`);
  return found;
}

export function valueNode({ children }: Node): Node {
  const value = children?.[1];
  if (value === undefined) throw new Error("A property of a tree without errors has a value.");
  return value;
}

export function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** Where a comma follows a place, undefined when the next thing that is no comment is something else. */
export function findComma(text: string, from: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  scanner.scan();
  return text[scanner.getTokenOffset()] === "," ? scanner.getTokenOffset() : undefined;
}

/** Whether there is a comment in a part that begins and ends between tokens. */
export function hasComment(text: string, from: number, to: number): boolean {
  for (const at of tokensOf(text.slice(from, to), false)) if (text[from + at] === "/") return true;
  return false;
}

function keyOf({ children }: Node): string {
  return String(children?.[0]?.value);
}

function rejectDeep(text: string): void {
  let level = 0;
  for (const at of tokensOf(text, true)) {
    const character = text[at];
    if (character === "{" || character === "[") level += 1;
    if (character === "}" || character === "]") level -= 1;
    if (level > MOST_LEVELS) throw untouchable(`it is nested deeper than ${MOST_LEVELS} levels`);
  }
}

/** Where each token begins; its first character tells what it is. */
function* tokensOf(text: string, ignoresTrivia: boolean): Generator<number> {
  const scanner = createScanner(text, ignoresTrivia);
  while (scanner.getPosition() < text.length) {
    scanner.scan();
    yield scanner.getTokenOffset();
  }
}
