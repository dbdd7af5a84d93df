/**
 * Decodes bytes as text; undefined when they are not UTF-8 or contain a zero byte. The last character may be
 * incomplete.
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}

export interface CutText {
  readonly lines: readonly string[];
  readonly isCut: boolean;
}

export const SHOWN_LINES = 5000;
const SHOWN_COLUMNS = 2000;

/** The lines to show, with limits on their number and length. */
export function cutLines(text: string): CutText {
  const all = text.replace(/\r?\n$/, "").split(/\r?\n/);
  const shown = all.slice(0, SHOWN_LINES);
  const isLong = shown.some((line) => line.length > SHOWN_COLUMNS);
  return {
    lines: isLong ? shown.map(shorten) : shown,
    isCut: isLong || all.length > SHOWN_LINES,
  };
}

function shorten(line: string): string {
  return line.length > SHOWN_COLUMNS ? `${line.slice(0, SHOWN_COLUMNS)}…` : line;
}
