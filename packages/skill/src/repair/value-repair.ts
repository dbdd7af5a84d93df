import { dedent, firstIndent, indent, isBlank, isItem, isTextField, readNestedKeyLine } from "./line.ts";
import { quote, readQuotedText, trimLines, writeLiteral, writeText } from "./text-value.ts";

/** A broken value: what stands behind its key or dash, and the lines below. */
export interface Fault {
  /** `key:` or `-`. */
  readonly lead: string;
  /** How messages call it. */
  readonly name: string;
  /** The keys that lead to it. */
  readonly path: string;
  readonly key: string;
  readonly head: string;
  /** Indented with blanks only. */
  readonly tail: readonly string[];
  /** What is wrong with the blanks around it, as far as the value is concerned already put right. */
  readonly layout: "tabs" | "moved" | "colon" | undefined;
}

export interface Mended {
  readonly lines: readonly string[];
  readonly messages: readonly string[];
}

/** A way to read a value; undefined where it does not apply. */
type Mend = (fault: Fault, mendBlock: MendBlock) => Mended | undefined;

/** Mends the entries of a nested block, each for itself. */
export type MendBlock = (lines: readonly string[], path: string) => Mended;

const BLOCK_HEADER = /^([|>])([+-]?)\d?([+-]?)(?:[ \t]+(#.*))?$/;
const HEADER_AND_TEXT = /^([|>][+-]?)\d?[ \t]+(\S.*)$/;

/**
 * In the order in which they are tried; the first whose lines are sound YAML is taken. What keeps most of the
 * author's layout comes first.
 */
export const mends: readonly Mend[] = [
  respace,
  indentBrackets,
  uncommentBrackets,
  closeBrackets,
  quoteListItems,
  mendNested,
  indentBlock,
  joinHeader,
  requote,
  readAsText,
  keepRaw,
];

const LAYOUT_FAULTS = {
  tabs: (name: string) => `${name} is indented with tabs, which are read as blanks`,
  moved: (name: string) =>
    `${name} is indented differently from the fields above it and is read as one of them`,
  colon: (name: string) => `the colon behind ${name} is read as if it were ": "`,
} as const;

function respace({ lead, head, tail, name, layout }: Fault): Mended | undefined {
  if (layout === undefined) return undefined;
  return {
    lines: [head === "" ? lead : `${lead} ${head}`, ...tail],
    messages: [LAYOUT_FAULTS[layout](name)],
  };
}

function indentBrackets(fault: Fault): Mended | undefined {
  if (!isBracketed(fault) || fault.tail.length === 0) return undefined;
  const message = `the lines in brackets below ${fault.name} are not indented and are read as its value`;
  return { lines: indentFlow(fault), messages: [message] };
}

function uncommentBrackets(fault: Fault): Mended | undefined {
  const hasComment = [fault.head, ...fault.tail].some((line) => line.includes("//"));
  if (!isBracketed(fault) || !hasComment) return undefined;
  const message = `${fault.name} has comments that start with "//", which are left out`;
  return { lines: indentFlow(stripComments(fault)), messages: [message] };
}

function closeBrackets(fault: Fault): Mended | undefined {
  const isList = fault.tail.length > 0 || fault.head.includes(",") || fault.head.startsWith("{");
  const closed = isBracketed(fault) && isList ? closeFlow(stripComments(fault)) : undefined;
  if (closed === undefined) return undefined;
  return { lines: indentFlow(closed), messages: [`${fault.name} opens a bracket that is never closed`] };
}

function quoteListItems(fault: Fault): Mended | undefined {
  const lines = isTextField(fault.key) || !fault.head.includes(",") ? undefined : quoteItems(fault);
  return lines && { lines, messages: [`items of ${fault.name} are read as if they were quoted`] };
}

function mendNested(fault: Fault, mendBlock: MendBlock): Mended | undefined {
  const { lead, head, tail, key } = fault;
  const first = tail.find((line) => !isBlank(line) && !line.trimStart().startsWith("#"))?.trimStart();
  if (head !== "" || first === undefined || isTextField(key)) return undefined;
  if (!isItem(first) && readNestedKeyLine(first) === undefined) return undefined;
  const width = firstIndent(tail);
  const block = mendBlock(dedent(tail, width), fault.path);
  return {
    lines: [lead, ...indent(block.lines, Math.max(width, isItem(first) ? 0 : 2))],
    messages: block.messages.length > 0 ? block.messages : [unevenMessage(fault.name)],
  };
}

function unevenMessage(name: string): string {
  return `the lines below ${name} are not indented evenly and are read as its value`;
}

function indentBlock({ lead, head, tail, name }: Fault): Mended | undefined {
  const header = BLOCK_HEADER.exec(head);
  if (header === null) return undefined;
  const [, sign = "", before = "", after = "", comment] = header;
  const block = sign + before + after + (comment === undefined ? "" : ` ${comment}`);
  const lines = sign === ">" ? tail.map((line) => line.trim()) : dedent(tail, firstIndent(tail));
  return { lines: writeLiteral(lead, lines, block), messages: [unevenMessage(name)] };
}

function joinHeader({ lead, head, tail, name }: Fault): Mended | undefined {
  const [, sign, text] = HEADER_AND_TEXT.exec(head) ?? [];
  if (sign === undefined || text === undefined) return undefined;
  const message = `text follows "${sign}" of ${name} on the same line and is read as its value`;
  const quoted = readQuotedText([text, ...tail]);
  const lines = quoted?.lines ?? [text, ...tail];
  return { lines: writeText(lead, lines, sign), messages: [message] };
}

const QUOTE_FAULTS = {
  unclosed: (name: string) => `the value of ${name} opens a quote that is never closed`,
  trailing: (name: string) => `text follows the closing quote of ${name} and is read as part of the value`,
  inner: (name: string) => `the value of ${name} has quotes inside quotes`,
  escape: (name: string) =>
    `the value of ${name} has backslashes that are no escapes and are read as they are`,
  unindented: (name: string) => `the lines below ${name} are not indented and are read as its value`,
} as const;

function requote({ lead, head, tail, name }: Fault): Mended | undefined {
  const quoted = readQuotedText([head, ...tail]);
  if (quoted === undefined) return undefined;
  const [first = "", ...more] = writeText(lead, quoted.lines, quoted.isLiteral ? "|-" : undefined);
  const top = quoted.comment === undefined ? first : `${first} ${quoted.comment}`;
  return { lines: [top, ...more], messages: [QUOTE_FAULTS[quoted.fault](name)] };
}

/** Word processors turn quotes into these; around a whole value they can only be meant as YAML's. */
function uncurl(lines: readonly string[]): readonly string[] {
  const text = lines.join("\n").trim();
  const content = /^“([^“”]*)”$/.exec(text)?.[1] ?? /^‘([^‘’]*)’$/.exec(text)?.[1];
  return content === undefined ? lines : content.split("\n");
}

function readAsText(fault: Fault): Mended | undefined {
  const { lead, head, tail, key } = fault;
  if (head === "" && !isTextField(key) && trimLines(tail).some((line) => isItem(line.trim())))
    return undefined;
  const lines = head === "" ? tail : [head, ...tail];
  return { lines: writeText(lead, uncurl(lines)), messages: [textMessage(fault)] };
}

function textMessage({ head, tail, name }: Fault): string {
  const special = /^(?:\*\*|\{\{|[*@`%&!|>[\]{}#,?-])/.exec(head)?.[0];
  if (special !== undefined)
    return `the value of ${name} starts with "${special}" and is read as if it were quoted`;
  if (/:(?:\s|$)/.test(head)) return `the value of ${name} holds ": " and is read as if it were quoted`;
  if (tail.some((line) => !isBlank(line) && !line.startsWith(" "))) return QUOTE_FAULTS.unindented(name);
  return `the value of ${name} is read as if it were quoted`;
}

function keepRaw({ lead, key, head, tail, name }: Fault): Mended | undefined {
  const safeLead = lead.startsWith("-") ? "-" : `${quote(key)}:`;
  const lines = head === "" ? tail : [head, ...tail];
  const literal = dedent(trimLines(lines), firstIndent(lines));
  const body = literal.length > 1 ? writeLiteral(safeLead, literal, "|-") : writeText(safeLead, literal);
  return { lines: body, messages: [`${name} cannot be read and is kept as text`] };
}

function isBracketed({ head, tail, key }: Fault): boolean {
  if (head !== "") return /^[[{]/.test(head) && !isTextField(key);
  return /^[[{]/.test(tail.find((line) => !isBlank(line))?.trimStart() ?? "");
}

/** A value in brackets as its author laid it out: what follows the key on its line, and the lines below. */
export interface FlowBlock {
  readonly lead: string;
  readonly head: string;
  readonly tail: readonly string[];
}

/** Moves the lines below the key to the right of it, where YAML sees them as its value. */
export function indentFlow({ lead, head, tail }: FlowBlock): readonly string[] {
  const lines = indent(dedent(tail, firstIndent(tail)), 2).filter((line) => !isBlank(line));
  return [head === "" ? lead : `${lead} ${head}`, ...lines];
}

/** Takes out `//` comments, which JSON with comments has and YAML has not. */
export function stripComments(block: FlowBlock): FlowBlock {
  return { ...block, head: stripComment(block.head), tail: block.tail.map((line) => stripComment(line)) };
}

function stripComment(line: string): string {
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    if (isQuoted && line[at] === "\\") at += 1;
    else if (line[at] === '"') isQuoted = !isQuoted;
    else if (!isQuoted && line.startsWith("//", at) && /^\s?$/.test(line[at - 1] ?? ""))
      return line.slice(0, at).trimEnd();
  }
  return line;
}

/** Adds the closing brackets that are missing at the end, or undefined when none are or they do not match. */
export function closeFlow(block: FlowBlock): FlowBlock | undefined {
  const open: string[] = [];
  let isQuoted = false;
  for (const char of [block.head, ...block.tail].join("\n").replace(/\\./g, "")) {
    if (char === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (char === "{") open.push("}");
    else if (char === "[") open.push("]");
    else if ((char === "}" || char === "]") && open.pop() !== char) return undefined;
  }
  if (isQuoted || open.length === 0 || open.length > 64) return undefined;
  const closing = open.reverse().join("");
  if (block.tail.length === 0) return { ...block, head: block.head + closing };
  return { ...block, tail: [...block.tail, closing] };
}

const SAFE_ITEM = /^(?:[\p{L}\p{N}_/.$(][^"'#[\]{}:]*|"[^"\\]*"|'[^']*'|)$/u;

/** `[@a, b: c: d]`: puts each item of a list on one line into quotes, unless it is sure to read as it is. */
export function quoteItems({ lead, head, tail }: FlowBlock): readonly string[] | undefined {
  if (tail.length > 0 || !head.startsWith("[") || !head.endsWith("]")) return undefined;
  const content = head.slice(1, -1);
  if (/[[\]{}]/.test(content)) return undefined;
  const items = splitItems(content).map((item) => item.trim());
  return [`${lead} [${items.map((item) => (SAFE_ITEM.test(item) ? item : quote(item))).join(", ")}]`];
}

function splitItems(content: string): readonly string[] {
  const items: string[] = [];
  let start = 0;
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < content.length; at += 1) {
    const char = content[at];
    if (char === '"') isQuoted = !isQuoted;
    else if (char === "(") depth += 1;
    else if (char === ")") depth -= 1;
    else if (char === "," && !isQuoted && depth <= 0) {
      items.push(content.slice(start, at));
      start = at + 1;
    }
  }
  return [...items, content.slice(start)];
}
