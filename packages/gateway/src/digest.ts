import { hash } from "node:crypto";
import type { Digest } from "@skillhold/protocol";

/** Of bytes as everywhere: the algorithm, a colon, and the hash. */
export function digestOf(bytes: Uint8Array): Digest {
  // It is a digest by the way it is made.
  return `sha256:${hash("sha256", bytes, "hex")}` as Digest;
}

/** Enough of a hash to tell answers apart. */
export function shortHash(content: string | Uint8Array): string {
  return hash("sha256", content, "hex").slice(0, 32);
}
