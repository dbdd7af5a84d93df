import { createScanner, type Node, type ParseError, parseTree } from "jsonc-parser";
import { untouchable } from "./config-text.ts";

/** A part of a text, and what stands there after. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Puts a property at the end of a table, after all that stands in it, comments included. */
export function insertProperty(text: string, table: Node, key: string, value: unknown): string {
  const [first] = table.children ?? [];
  const last = table.children?.at(-1);
  const close = endOf(table) - 1;
  const at = table.offset + text.slice(table.offset, close).trimEnd().length;
  const hasTrailing = last !== undefined && findComma(text, endOf(last)) !== undefined;
  const comma = last === undefined || hasTrailing ? [] : [insertion(endOf(last), ",")];
  const end = hasTrailing ? "," : "";
  if (last !== undefined && !/[\r\n]/.test(text.slice(table.offset, close))) {
    const property = ` ${JSON.stringify(key)}: ${JSON.stringify(value)}${end}`;
    return applyEdits(text, [...comma, insertion(at, property)]);
  }
  const { unit, eol } = layoutOf(text);
  const base = indentAt(text, table.offset);
  const indent =
    first !== undefined && isFirstOnLine(text, first.offset) ? indentAt(text, first.offset) : base + unit;
  const property = `${eol}${indent}${JSON.stringify(key)}: ${render(value, indent, text)}${end}`;
  const tail = text.slice(at, close);
  return applyEdits(text, [
    ...comma,
    { from: at, to: close, text: property + (/[\r\n]/.test(tail) ? tail : eol + base) },
  ]);
}

/** Puts another value in place of the one that a node is. */
export function replaceValue(text: string, node: Node, value: unknown): string {
  const rendered = render(value, indentAt(text, node.offset), text);
  return applyEdits(text, [{ from: node.offset, to: endOf(node), text: rendered }]);
}

/** Takes a property out, with its comma, and with its lines where nothing else stands on them. */
export function cutProperty(text: string, table: Node, property: Node): string {
  const own = findComma(text, endOf(property));
  const commas = own === undefined ? findCommaBefore(text, table, property) : [own];
  const [comma] = commas;
  let [from, to] = [property.offset, endOf(property)];
  if (comma !== undefined && isBlank(text.slice(to, comma)) && comma >= to) to = comma + 1;
  if (comma !== undefined && comma < from && isBlank(text.slice(comma + 1, from))) from = comma;
  const lineStart = startOfLine(text, from);
  const [rest = "", newline = ""] = /^[^\r\n]*?(?=(\r\n|\r|\n|$))/.exec(text.slice(to)) ?? [];
  const hasLines = isBlank(text.slice(lineStart, from)) && isBlank(rest);
  if (hasLines) [from, to] = [lineStart, to + rest.length + newline.length];
  const alone = commas.filter((each) => each < from || each >= to).map((each) => deletion(each, each + 1));
  return applyEdits(text, [...alone, deletion(from, to)]);
}

/** A value as the text around it is written: its indentation and its line ends. */
export function render(value: unknown, indent: string, around: string): string {
  const { unit, eol } = layoutOf(around);
  return JSON.stringify(value, undefined, unit).replaceAll("\n", `${eol}${indent}`);
}

export function layoutOf(text: string): { readonly unit: string; readonly eol: string } {
  return { unit: /\n([ \t]+)"/.exec(text)?.[1] ?? "  ", eol: text.includes("\r\n") ? "\r\n" : "\n" };
}

function findCommaBefore(text: string, { children = [] }: Node, property: Node): readonly number[] {
  const before = children[children.indexOf(property) - 1];
  const comma = before === undefined ? undefined : findComma(text, endOf(before));
  return comma === undefined ? [] : [comma];
}

function startOfLine(text: string, at: number): number {
  return Math.max(text.lastIndexOf("\n", at - 1), text.lastIndexOf("\r", at - 1)) + 1;
}

function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(startOfLine(text, at), at))?.[0] ?? "";
}

function isFirstOnLine(text: string, at: number): boolean {
  return isBlank(text.slice(startOfLine(text, at), at));
}

function isBlank(text: string): boolean {
  return /^[ \t]*$/.test(text);
}

function insertion(at: number, text: string): Edit {
  return { from: at, to: at, text };
}

function deletion(from: number, to: number): Edit {
  return { from, to, text: "" };
}

/** Contract: no two overlap, and those at one place come in the order in which they are to stand. */
function applyEdits(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => a.from - b.from)
    .reduceRight((done, edit) => done.slice(0, edit.from) + edit.text + done.slice(edit.to), text);
}

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
