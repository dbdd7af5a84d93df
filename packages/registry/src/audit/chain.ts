import { hash } from "node:crypto";

/** The previous hash of the first entry. */
export const CHAIN_START = "0".repeat(64);

/**
 * The hexadecimal hash of an entry, over its body and the previous hash. Changing an entry changes all later
 * hashes.
 */
export function chainHash(previous: string, body: string): string {
  return hash("sha256", previous + body, "hex");
}
