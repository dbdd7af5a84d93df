/** A SKILL.md cut at its fences. The four parts put together are the file again. */
export interface FencedText {
  readonly kind: "fenced" | "unclosed" | "none";
  /** A byte-order mark, or nothing, and the opening fence with its line end. */
  readonly head: string;
  /** Everything between the fences, with the last line end. */
  readonly frontmatter: string;
  /** The closing fence with its line end. */
  readonly tail: string;
  readonly body: string;
}

const BOM = "\uFEFF";
const FENCE = "---";

/**
 * Cuts a file at lines of `---`. Trailing blanks are allowed on a fence and nothing else is, so that `---js`,
 * `--- # note` and an indented `---` are text.
 */
export function cutAtFences(text: string): FencedText {
  const start = text.startsWith(BOM) ? 1 : 0;
  const open = fenceEnd(text, start);
  if (open === undefined) {
    return { kind: "none", head: text.slice(0, start), frontmatter: "", tail: "", body: text.slice(start) };
  }
  const head = text.slice(0, open);
  for (let at = text.indexOf(FENCE, open); at !== -1; at = text.indexOf(FENCE, at + 1)) {
    const next = isLineStart(text, at) ? fenceEnd(text, at) : undefined;
    if (next === undefined) continue;
    const frontmatter = text.slice(open, at);
    return { kind: "fenced", head, frontmatter, tail: text.slice(at, next), body: text.slice(next) };
  }
  return { kind: "unclosed", head, frontmatter: text.slice(open), tail: "", body: "" };
}

/** Where the line after a fence starts, or undefined when the line at the offset is no fence. */
function fenceEnd(text: string, start: number): number | undefined {
  if (!text.startsWith(FENCE, start)) return undefined;
  let end = start + FENCE.length;
  while (text[end] === " " || text[end] === "\t") end += 1;
  if (end === text.length) return end;
  if (text[end] === "\n") return end + 1;
  if (text[end] !== "\r") return undefined;
  return text[end + 1] === "\n" ? end + 2 : end + 1;
}

/** LF, CRLF and CR all end a line. Contract: something stands before the offset. */
function isLineStart(text: string, at: number): boolean {
  return text[at - 1] === "\n" || text[at - 1] === "\r";
}
