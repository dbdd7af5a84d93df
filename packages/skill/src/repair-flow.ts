import { dedent, firstIndent, indent, isBlank } from "./repair-line.ts";
import { quote } from "./repair-text.ts";

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
