import { hash } from "node:crypto";
import type { Digest } from "@skillhold/protocol";

/** The SHA-256 digest of bytes, in the form that records and tree hashes use. */
export function sha256Of(bytes: Uint8Array): Digest {
  // The template is the format of a digest.
  return `sha256:${hash("sha256", bytes, "hex")}` as Digest;
}

/** Half of a SHA-256 hash: enough for an ETag. */
export function shortHash(content: string | Uint8Array): string {
  return hash("sha256", content, "hex").slice(0, 32);
}

/** Narrows the type without a copy. Contract: the bytes are not in shared memory. */
export function unsharedBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  // By the contract the buffer is no SharedArrayBuffer.
  return bytes as Uint8Array<ArrayBuffer>;
}
