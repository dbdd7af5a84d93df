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

/**
 * Cuts a file at lines of `---`. Trailing blanks are allowed on a fence and nothing else is, so that `---js`,
 * `--- # note` and an indented `---` are text.
 */
export function cutAtFences(text: string): FencedText {
  const start = text.startsWith(BOM) ? 1 : 0;
  const opening = lineAt(text, start);
  if (!isFence(text, start, opening.end)) {
    return { kind: "none", head: text.slice(0, start), frontmatter: "", tail: "", body: text.slice(start) };
  }
  const head = text.slice(0, opening.next);
  for (let at = opening.next; at < text.length; ) {
    const line = lineAt(text, at);
    if (isFence(text, at, line.end)) {
      const frontmatter = text.slice(opening.next, at);
      return {
        kind: "fenced",
        head,
        frontmatter,
        tail: text.slice(at, line.next),
        body: text.slice(line.next),
      };
    }
    at = line.next;
  }
  return { kind: "unclosed", head, frontmatter: text.slice(opening.next), tail: "", body: "" };
}

/** Where the line that starts at an offset ends, and where the next one starts; LF, CRLF and CR all end a line. */
function lineAt(text: string, start: number): { end: number; next: number } {
  const lf = text.indexOf("\n", start);
  const stop = lf === -1 ? text.length : lf;
  const cr = text.slice(start, stop).indexOf("\r");
  if (cr === -1) return { end: stop, next: lf === -1 ? stop : lf + 1 };
  const end = start + cr;
  return { end, next: end + 1 === lf ? lf + 1 : end + 1 };
}

function isFence(text: string, start: number, end: number): boolean {
  return text.startsWith("---", start) && /^---[ \t]*$/.test(text.slice(start, end));
}
