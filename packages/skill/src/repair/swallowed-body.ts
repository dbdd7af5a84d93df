import { isBlank, readKeyLine } from "./line.ts";

const HEADING = /^#{1,6} \S/;
const CODE_FENCE = /^(?:```|~~~)/;

/**
 * The first line (zero-based) of frontmatter that is probably the beginning of the instructions, because the closing fence
 * is missing there: text at the first column after a blank line. Undefined without such a line.
 */
export function findSwallowedBody(lines: readonly string[]): number | undefined {
  for (const [index, line] of lines.entries()) {
    if (index === 0 || isBlank(line) || !isBlank(lines[index - 1] ?? "")) continue;
    if (isProse(line)) return index;
    // A comment looks like a heading, but prose or a list does not follow a comment.
    const next = lines.slice(index + 1).find((each) => !isBlank(each) && !HEADING.test(each));
    if (HEADING.test(line) && next !== undefined && (isProse(next) || /^[-*+] /.test(next))) return index;
  }
  return undefined;
}

function isProse(line: string): boolean {
  if (CODE_FENCE.test(line)) return true;
  return /^[^\s#\-"'[\]{},&*!|>%@`]/.test(line) && readKeyLine(line) === undefined;
}
