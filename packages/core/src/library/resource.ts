import type { Resource } from "./library.ts";
import type { FilePart } from "./shelf.ts";

/** The known media types; other files are plain text or binary. */
const mediaTypes = new Map(
  Object.entries({
    css: "text/css",
    csv: "text/csv",
    gif: "image/gif",
    html: "text/html",
    jpeg: "image/jpeg",
    jpg: "image/jpeg",
    js: "text/javascript",
    json: "application/json",
    md: "text/markdown",
    mjs: "text/javascript",
    pdf: "application/pdf",
    png: "image/png",
    py: "text/x-python",
    sh: "text/x-shellscript",
    svg: "image/svg+xml",
    ts: "text/typescript",
    webp: "image/webp",
    xml: "application/xml",
    yaml: "application/yaml",
    yml: "application/yaml",
  }),
);

/** Encodes bytes: text when they are UTF-8 without NUL, base64 otherwise. */
export function asResource(
  path: string,
  start: number,
  { bytes, size, digest, treeHash }: Omit<FilePart, "entry">,
): Resource {
  const { text, length } = readText(bytes, start + bytes.length < size);
  const isText = text !== undefined;
  const end = start + (isText ? length : bytes.length);
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return {
    path,
    encoding: isText ? "utf-8" : "base64",
    content: isText ? text : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64"),
    mimeType: mediaTypes.get(extension) ?? (isText ? "text/plain" : "application/octet-stream"),
    size,
    start,
    length: end - start,
    hasMore: end < size,
    digest,
    treeHash,
  };
}

/** A range may end inside a character, which then belongs to the next range. */
function readText(bytes: Uint8Array, isCut: boolean): { readonly text?: string; readonly length: number } {
  const length = isCut ? wholeCharacters(bytes) : bytes.length;
  // A range shorter than one character is returned as bytes, so that the next range advances.
  if (length === 0 && bytes.length > 0) return { length };
  const part = bytes.subarray(0, length);
  if (part.includes(0)) return { length };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(part), length };
  } catch {
    // Not UTF-8; the caller returns bytes.
    return { length };
  }
}

/** The length up to the last complete UTF-8 character. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length - back + 1;
    if (byte < 0xc0) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back >= needed ? bytes.length : bytes.length - back;
  }
  return bytes.length;
}
