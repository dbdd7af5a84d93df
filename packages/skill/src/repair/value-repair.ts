import { dedent, firstIndent, indent, isBlank, isItem, isTextField, readNestedKeyLine } from "./line.ts";
import { quoteYaml, readQuotedText, trimLines, writeLiteral, writeText } from "./text-value.ts";

/** A broken value: the text after its key or dash, and the lines below. */
export interface Fault {
  /** `key:` or `-`. */
  readonly lead: string;
  /** The name in messages. */
  readonly name: string;
  /** The path of keys. */
  readonly path: string;
  readonly key: string;
  readonly head: string;
  /** Contract: indented with spaces only. */
  readonly tail: readonly string[];
  /** The problem with the whitespace around it, which is already fixed in the value. */
  readonly layout: "tabs" | "moved" | "colon" | undefined;
}

export interface RepairedLines {
  readonly lines: readonly string[];
  readonly messages: readonly string[];
}

/** One way to repair a value; undefined when it does not apply. */
type ValueRepair = (fault: Fault, repairBlock: RepairBlock) => RepairedLines | undefined;

/** Repairs the entries of a nested block. */
export type RepairBlock = (lines: readonly string[], path: string) => RepairedLines;

const BLOCK_HEADER = /^([|>])([+-]?)\d?([+-]?)(?:[ \t]+(#.*))?$/;
const HEADER_AND_TEXT = /^([|>][+-]?)\d?[ \t]+(\S.*)$/;

/** Tried in this order; the first result that parses is used. Repairs that keep the author's layout come first. */
export const valueRepairs: readonly ValueRepair[] = [
  respace,
  indentBrackets,
  uncommentBrackets,
  closeBrackets,
  quoteListItems,
  repairNested,
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
  colon: (name: string) => `the colon after ${name} is read as if it were ": "`,
} as const;

function respace({ lead, head, tail, name, layout }: Fault): RepairedLines | undefined {
  if (layout === undefined) return undefined;
  return {
    lines: [head === "" ? lead : `${lead} ${head}`, ...tail],
    messages: [LAYOUT_FAULTS[layout](name)],
  };
}

function indentBrackets(fault: Fault): RepairedLines | undefined {
  if (!isBracketed(fault) || fault.tail.length === 0) return undefined;
  const message = `the lines in brackets below ${fault.name} are not indented and are read as its value`;
  return { lines: indentFlow(fault), messages: [message] };
}

function uncommentBrackets(fault: Fault): RepairedLines | undefined {
  const hasComment = [fault.head, ...fault.tail].some((line) => line.includes("//"));
  if (!isBracketed(fault) || !hasComment) return undefined;
  const message = `${fault.name} has comments that start with "//", which are removed`;
  return { lines: indentFlow(stripComments(fault)), messages: [message] };
}

function closeBrackets(fault: Fault): RepairedLines | undefined {
  const isList = fault.tail.length > 0 || fault.head.includes(",") || fault.head.startsWith("{");
  const closed = isBracketed(fault) && isList ? closeFlow(stripComments(fault)) : undefined;
  if (closed === undefined) return undefined;
  return { lines: indentFlow(closed), messages: [`${fault.name} opens a bracket that is never closed`] };
}

function quoteListItems(fault: Fault): RepairedLines | undefined {
  const lines = isTextField(fault.key) || !fault.head.includes(",") ? undefined : quoteItems(fault);
  return lines && { lines, messages: [`items of ${fault.name} are read as if they were quoted`] };
}

function repairNested(fault: Fault, repairBlock: RepairBlock): RepairedLines | undefined {
  const { lead, head, tail, key } = fault;
  const first = tail.find((line) => !isBlank(line) && !line.trimStart().startsWith("#"))?.trimStart();
  if (head !== "" || first === undefined || isTextField(key)) return undefined;
  if (!isItem(first) && readNestedKeyLine(first) === undefined) return undefined;
  const width = firstIndent(tail);
  const block = repairBlock(dedent(tail, width), fault.path);
  return {
    lines: [lead, ...indent(block.lines, Math.max(width, isItem(first) ? 0 : 2))],
    messages: block.messages.length > 0 ? block.messages : [unevenMessage(fault.name)],
  };
}

function unevenMessage(name: string): string {
  return `the lines below ${name} are not indented evenly and are read as its value`;
}

function indentBlock({ lead, head, tail, name }: Fault): RepairedLines | undefined {
  const header = BLOCK_HEADER.exec(head);
  if (header === null) return undefined;
  const [, sign = "", before = "", after = "", comment] = header;
  const block = sign + before + after + (comment === undefined ? "" : ` ${comment}`);
  const lines = sign === ">" ? tail.map((line) => line.trim()) : dedent(tail, firstIndent(tail));
  return { lines: writeLiteral(lead, lines, block), messages: [unevenMessage(name)] };
}

function joinHeader({ lead, head, tail, name }: Fault): RepairedLines | undefined {
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
    `the value of ${name} has backslashes that are not escapes and are read literally`,
  unindented: (name: string) => `the lines below ${name} are not indented and are read as its value`,
} as const;

function requote({ lead, head, tail, name }: Fault): RepairedLines | undefined {
  const quoted = readQuotedText([head, ...tail]);
  if (quoted === undefined) return undefined;
  const [first = "", ...more] = writeText(lead, quoted.lines, quoted.isLiteral ? "|-" : undefined);
  const top = quoted.comment === undefined ? first : `${first} ${quoted.comment}`;
  return { lines: [top, ...more], messages: [QUOTE_FAULTS[quoted.fault](name)] };
}

/** Word processors turn straight quotes into these; around a whole value they mean YAML quotes. */
function uncurl(lines: readonly string[]): readonly string[] {
  const text = lines.join("\n").trim();
  const content = /^“([^“”]*)”$/.exec(text)?.[1] ?? /^‘([^‘’]*)’$/.exec(text)?.[1];
  return content === undefined ? lines : content.split("\n");
}

function readAsText(fault: Fault): RepairedLines | undefined {
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
  if (/:(?:\s|$)/.test(head)) return `the value of ${name} contains ": " and is read as if it were quoted`;
  if (tail.some((line) => !isBlank(line) && !line.startsWith(" "))) return QUOTE_FAULTS.unindented(name);
  return `the value of ${name} is read as if it were quoted`;
}

function keepRaw({ lead, key, head, tail, name }: Fault): RepairedLines | undefined {
  const safeLead = lead.startsWith("-") ? "-" : `${quoteYaml(key)}:`;
  const lines = head === "" ? tail : [head, ...tail];
  const literal = dedent(trimLines(lines), firstIndent(lines));
  const body = literal.length > 1 ? writeLiteral(safeLead, literal, "|-") : writeText(safeLead, literal);
  return { lines: body, messages: [`${name} cannot be parsed and is kept as text`] };
}

function isBracketed({ head, tail, key }: Fault): boolean {
  if (head !== "") return /^[[{]/.test(head) && !isTextField(key);
  return /^[[{]/.test(tail.find((line) => !isBlank(line))?.trimStart() ?? "");
}

/** A bracketed value: the text after the key on its line, and the lines below. */
export interface FlowBlock {
  readonly lead: string;
  readonly head: string;
  readonly tail: readonly string[];
}

/** Indents the lines below the key, so that YAML reads them as its value. */
export function indentFlow({ lead, head, tail }: FlowBlock): readonly string[] {
  const lines = indent(dedent(tail, firstIndent(tail)), 2).filter((line) => !isBlank(line));
  return [head === "" ? lead : `${lead} ${head}`, ...lines];
}

/** Removes `//` comments, which are valid in JSONC and not in YAML. */
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

/** Adds missing closing brackets at the end. Undefined when none is missing or they do not match. */
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

/** `[@a, b: c: d]`: quotes each item of a one-line list, except items that parse as they are. */
export function quoteItems({ lead, head, tail }: FlowBlock): readonly string[] | undefined {
  if (tail.length > 0 || !head.startsWith("[") || !head.endsWith("]")) return undefined;
  const content = head.slice(1, -1);
  if (/[[\]{}]/.test(content)) return undefined;
  const items = splitItems(content).map((item) => item.trim());
  return [`${lead} [${items.map((item) => (SAFE_ITEM.test(item) ? item : quoteYaml(item))).join(", ")}]`];
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
