/** Code that a Markdown text holds. */
export interface MarkdownCode {
  /** The first word of the fence's info string, in lower case; empty without an info string. */
  readonly language: string;
  readonly text: string;
  /** The line of the first line of `text`, from 1. */
  readonly line: number;
  readonly isInline: boolean;
}

export interface MarkdownParts {
  readonly code: readonly MarkdownCode[];
  /** The text with fenced code blanked; offsets and lines stay. */
  readonly prose: string;
  /** The text with all but fenced code blanked; offsets and lines stay. */
  readonly fenced: string;
}

const FENCE = /^[ \t>]{0,20}(?:[-*+] {1,3}|\d{1,3}\. {1,3})?(`{3,20}|~{3,20})[ \t]*([^\s`{]{0,40})/;
const INLINE = /`([^`\n]{4,1000})`/g;
const MAX_INLINE = 500;

/** Splits a Markdown text in one pass over its lines. An open fence ends with the text. */
export function splitMarkdown(text: string): MarkdownParts {
  const code: MarkdownCode[] = [];
  const prose: string[] = [];
  const fenced: string[] = [];
  let open:
    | { readonly marker: string; readonly language: string; readonly line: number; readonly lines: string[] }
    | undefined;
  const close = () => {
    if (open !== undefined)
      code.push({ language: open.language, text: open.lines.join("\n"), line: open.line, isInline: false });
    open = undefined;
  };
  for (const [index, line] of text.split("\n").entries()) {
    const fence = FENCE.exec(line);
    const blank = " ".repeat(line.length);
    if (open === undefined && fence !== null) {
      open = { marker: fence[1] ?? "", language: (fence[2] ?? "").toLowerCase(), line: index + 2, lines: [] };
      prose.push(blank);
      fenced.push(blank);
    } else if (open !== undefined && fence !== null && isClosing(open.marker, fence, line)) {
      close();
      prose.push(blank);
      fenced.push(blank);
    } else if (open !== undefined) {
      open.lines.push(line.replace(/\r$/, ""));
      prose.push(blank);
      fenced.push(line);
    } else {
      prose.push(line);
      fenced.push(blank);
    }
  }
  close();
  const proseText = prose.join("\n");
  return { code: [...code, ...inlineCode(prose)], prose: proseText, fenced: fenced.join("\n") };
}

function isClosing(marker: string, fence: RegExpExecArray, line: string): boolean {
  const found = fence[1] ?? "";
  return (
    found[0] === marker[0] && found.length >= marker.length && line.trim().replace(/^[>\s]+/, "") === found
  );
}

function inlineCode(lines: readonly string[]): readonly MarkdownCode[] {
  const code: MarkdownCode[] = [];
  for (const [index, line] of lines.entries()) {
    if (!line.includes("`")) continue;
    for (const match of line.matchAll(INLINE)) {
      const inner = match[1] ?? "";
      if (inner.includes(" ")) code.push({ language: "", text: inner, line: index + 1, isInline: true });
      if (code.length >= MAX_INLINE) return code;
    }
  }
  return code;
}
