import { hash } from "node:crypto";

/** What the first entry is chained to. */
export const CHAIN_START = "0".repeat(64);

/** The hash of an entry, in hexadecimal, over its text and the hash of the one before: to change one is to change all after it. */
export function chainHash(previous: string, body: string): string {
  return hash("sha256", previous + body, "hex");
}
