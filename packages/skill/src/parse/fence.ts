/** A SKILL.md cut at its fences. Contract: the four parts concatenated are the file. */
export interface FencedText {
  readonly kind: "fenced" | "unclosed" | "none";
  /** The optional byte-order mark and the opening fence with its line end. */
  readonly head: string;
  /** The text between the fences, including the last line end. */
  readonly frontmatter: string;
  /** The closing fence with its line end. */
  readonly tail: string;
  readonly body: string;
}

const BOM = "\uFEFF";
const FENCE = "---";

/**
 * Cuts a file at lines of `---`. A fence may have trailing spaces only, so `---js`, `--- # note` and an indented `---`
 * are text.
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

/** The start of the line after a fence; undefined when the line at the offset is not a fence. */
function fenceEnd(text: string, start: number): number | undefined {
  if (!text.startsWith(FENCE, start)) return undefined;
  let end = start + FENCE.length;
  while (text[end] === " " || text[end] === "\t") end += 1;
  if (end === text.length) return end;
  if (text[end] === "\n") return end + 1;
  if (text[end] !== "\r") return undefined;
  return text[end + 1] === "\n" ? end + 2 : end + 1;
}

/** LF, CRLF and CR all end a line. Contract: `at` is greater than zero. */
function isLineStart(text: string, at: number): boolean {
  return text[at - 1] === "\n" || text[at - 1] === "\r";
}
