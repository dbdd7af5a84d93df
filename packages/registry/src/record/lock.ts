import type { Digest } from "@skillhold/protocol";

/**
 * Lock names for transactions. Writers take them in alphabetical order (agent, question, skill, token, tree,
 * user, webhooks, then blobs), so that two writers never deadlock.
 */
export function skillLock(id: string): string {
  return `skill:${id}`;
}

/** Taken to reference a tree and to remove it. */
export function treeLock(hash: Digest): string {
  return `tree:${hash}`;
}

/** Taken to change an agent and to grant it something. */
export function agentLock(key: string): string {
  return `agent:${key}`;
}

/** Taken to answer or withdraw a question. */
export function questionLock(id: string): string {
  return `question:${id}`;
}

/** Taken to revoke a token and to use a single-use token. */
export function tokenLock(id: string): string {
  return `token:${id}`;
}

/** Taken to change a webhook or a delivery. */
export const WEBHOOKS = "webhooks";

/** Taken to change a user and to use their passkeys; shared to issue a token. */
export function userLock(name: string): string {
  return `user:${name}`;
}

/** Shared by transactions that reference blobs; exclusive for a sweep that removes unreferenced blobs. */
export const UNNAMED_BLOBS = "unnamed-blobs";
