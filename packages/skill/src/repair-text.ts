import { indent } from "./repair-line.ts";

/** A text as single-quoted YAML: the one form in which no character but the quote itself means anything. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * Writes lines of text as the value behind `lead` (`key:` or `-`): one line in quotes, more as a block. The block
 * is folded unless the lines are a list or `header` says otherwise.
 */
export function writeText(lead: string, lines: readonly string[], header?: string): readonly string[] {
  const text = trimLines(lines.map((line) => line.trim()));
  const [first, ...more] = text;
  if (first === undefined) return [`${lead} ''`];
  if (more.length === 0) return [`${lead} ${quote(first)}`];
  const isList = text.some((line) => /^(?:[-*+]|\d{1,3}[.)]) /.test(line));
  return [`${lead} ${header ?? (isList ? "|-" : ">-")}`, ...indent(text, 2)];
}

/** Writes lines as a literal block that keeps their indents. */
export function writeLiteral(lead: string, lines: readonly string[], header: string): readonly string[] {
  return [`${lead} ${header}`, ...indent(trimLines(lines), 2)];
}

/** Without the blank lines at both ends. */
export function trimLines(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => line.trim() !== "");
  const end = lines.findLastIndex((line) => line.trim() !== "");
  return start === -1 ? [] : lines.slice(start, end + 1);
}
