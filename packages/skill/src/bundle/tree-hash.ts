import type { Digest } from "@skillhold/protocol";
import { comparePaths } from "./path-name.ts";

export interface FileDigest {
  readonly path: string;
  readonly size: number;
  readonly digest: Digest;
  readonly executable: boolean;
}

const HEADER = "skillhold-tree-1\n";
const DIGEST_BYTES = 32;

/**
 * The bytes whose SHA-256 is the tree hash: a header line, then for each file in the UTF-8 byte order of the paths: path,
 * NUL, `x` or `-`, NUL, and the 32 bytes of the content's SHA-256. A path has no NUL and the digest has a fixed length,
 * so two different trees never give the same bytes. The caller hashes them, with node:crypto or Web Crypto.
 */
export function treeHashInput(files: readonly FileDigest[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [encoder.encode(HEADER)];
  for (const file of files.toSorted((a, b) => comparePaths(a.path, b.path))) {
    parts.push(encoder.encode(`${file.path}\0${file.executable ? "x" : "-"}\0`), digestBytes(file.digest));
  }
  const input = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    input.set(part, at);
    at += part.length;
  }
  return input;
}

function digestBytes(digest: Digest): Uint8Array {
  const bytes = new Uint8Array(DIGEST_BYTES);
  const start = "sha256:".length;
  for (let at = 0; at < DIGEST_BYTES; at += 1) {
    const high = start + at * 2;
    bytes[at] = (hexValue(digest.charCodeAt(high)) << 4) | hexValue(digest.charCodeAt(high + 1));
  }
  return bytes;
}

/** Contract: the code is that of a lowercase hexadecimal digit. */
function hexValue(code: number): number {
  return code < 0x3a ? code - 0x30 : code - 0x57;
}
