import { createScanner, type Node, type ParseError, parseTree } from "jsonc-parser";
import { untouchable } from "./config-text.ts";

/** A range of a text and its replacement. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Inserts a property at the end of a table, after its properties and comments. */
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

/** Replaces the value of a node. */
export function replaceValue(text: string, node: Node, value: unknown): string {
  const rendered = render(value, indentAt(text, node.offset), text);
  return applyEdits(text, [{ from: node.offset, to: endOf(node), text: rendered }]);
}

/** Removes a property with its comma, and its lines if they are otherwise blank. */
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

/** Renders a value with the indentation and line ends of the surrounding text. */
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

/** Contract: edits do not overlap, and edits at one offset are in their final order. */
function applyEdits(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => a.from - b.from)
    .reduceRight((done, edit) => done.slice(0, edit.from) + edit.text + done.slice(edit.to), text);
}

/** Bounds the recursion of the parser; no real settings are nested this deep. */
const MOST_LEVELS = 200;

/** Parses JSON with comments and trailing commas; undefined for a text without data. */
export function readTree(text: string): Node | undefined {
  rejectDeep(text);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  if (errors.length > 0) throw untouchable("it is not valid JSON");
  if (root !== undefined && root.type !== "object") throw untouchable("it is not a JSON object");
  return root;
}

/** Matches `JSON.parse`: the last of two equal keys wins, and `__proto__` is a plain key. */
export function dataOf({ type, value, children = [] }: Node): unknown {
  if (type === "array") return children.map(dataOf);
  if (type !== "object") return value;
  return Object.fromEntries(
    children.map((property) => [keyOf(property), dataOf(valueNode(property))] as const),
  );
}

/** Finds a property by key. Rejects duplicates, because clients may read either one. */
export function findProperty({ children = [] }: Node, key: string): Node | undefined {
  const [found, ...others] = children.filter((property) => keyOf(property) === key);
  if (others.length > 0) throw untouchable(`\`${key}\` appears more than once`);
  return found;
}

export function valueNode({ children }: Node): Node {
  const value = children?.[1];
  if (value === undefined) throw new Error("The property has no value although the tree has no errors.");
  return value;
}

export function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** The offset of the comma that follows, comments skipped; undefined when another token follows. */
export function findComma(text: string, from: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  scanner.scan();
  return text[scanner.getTokenOffset()] === "," ? scanner.getTokenOffset() : undefined;
}

/** Contract: the range starts and ends between tokens. */
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

/** The offset of each token; its first character identifies its kind. */
function* tokensOf(text: string, ignoresTrivia: boolean): Generator<number> {
  const scanner = createScanner(text, ignoresTrivia);
  while (scanner.getPosition() < text.length) {
    scanner.scan();
    yield scanner.getTokenOffset();
  }
}
