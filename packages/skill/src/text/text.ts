/** A position in a file. Both numbers start at 1; a column counts UTF-16 units, like editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

const exact = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const tolerant = new TextDecoder("utf-8", { ignoreBOM: true });

/** Decodes UTF-8 and keeps a byte-order mark. Invalid bytes become U+FFFD and are reported. */
export function decodeText(bytes: Uint8Array): { readonly text: string; readonly isUtf8: boolean } {
  try {
    return { text: exact.decode(bytes), isUtf8: true };
  } catch {
    // The fatal decoder fails only on a malformed sequence; the tolerant one shows its position.
    return { text: tolerant.decode(bytes), isUtf8: false };
  }
}

const encoder = new TextEncoder();
const scratch = new Uint8Array(16 * 1024);

/**
 * A copy of a part of a text. Engines represent a part as a reference to the whole, so that values read from it would
 * keep the whole in memory. Contract: the text has no lone surrogates, as decoded text.
 */
export function copyPart(part: string): string {
  const { read, written } = encoder.encodeInto(part, scratch);
  return read === part.length ? exact.decode(scratch.subarray(0, written)) : part;
}

/** Converts CRLF and bare CR to LF. The line count stays the same, so positions are valid in both texts. */
export function withUnixLines(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** The position of an offset. Contract: lines end in LF. */
export function positionAt(text: string, offset: number): Position {
  let line = 1;
  let start = 0;
  for (let next = text.indexOf("\n"); next !== -1 && next < offset; next = text.indexOf("\n", start)) {
    line += 1;
    start = next + 1;
  }
  return { line, column: Math.min(offset, text.length) - start + 1 };
}

export function countLines(text: string): number {
  const unix = withUnixLines(text);
  let lines = unix === "" || unix.endsWith("\n") ? 0 : 1;
  for (let next = unix.indexOf("\n"); next !== -1; next = unix.indexOf("\n", next + 1)) lines += 1;
  return lines;
}

export function codePointLength(text: string): number {
  if (!/[\uD800-\uDFFF]/.test(text)) return text.length;
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}
