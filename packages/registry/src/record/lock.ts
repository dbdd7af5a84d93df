import type { Digest } from "@skillhold/protocol";

/**
 * The names that writers hold in a transaction. An agent's comes before a question's, a skill's, a token's and a tree's,
 * and the one of the blobs is the last, in the order of the alphabet, so that no two writers wait for each other.
 */
export function skillLock(id: string): string {
  return `skill:${id}`;
}

/** Held by who names a tree and by who takes it away. */
export function treeLock(hash: Digest): string {
  return `tree:${hash}`;
}

/** Held by who changes an agent, and by who gives it something. */
export function agentLock(key: string): string {
  return `agent:${key}`;
}

/** Held by who answers a question, or withdraws it. */
export function questionLock(id: string): string {
  return `question:${id}`;
}

/** Held by who revokes a token, or uses up one that is for one use. */
export function tokenLock(id: string): string {
  return `token:${id}`;
}

/** Shared by those who name blobs, and held alone by who takes away those that nobody names. */
export const UNNAMED_BLOBS = "unnamed-blobs";
