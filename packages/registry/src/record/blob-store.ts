import type { Digest } from "@skillhold/protocol";

/** Bytes by their hash. What is kept is never changed, and what is handed out has the hash it is asked for by. */
export interface BlobStore {
  /**
   * Durable when it returns: a row may then name them. One that is there already counts as new again, so that no
   * sweep that has begun takes it away.
   */
  put(blobs: readonly Blob[]): Promise<void>;
  /** Throws INTEGRITY_FAILED for bytes that are missing, or are not what their name says. */
  get(digest: Digest): Promise<Uint8Array>;
  /** Those that are not there, by their names alone: what is there may be damaged. */
  missing(digests: readonly Digest[]): Promise<readonly Digest[]>;
  /** Everything that is kept, in no order. */
  list(): AsyncIterable<BlobEntry>;
  /** Takes away those that were last put before the time. */
  remove(digests: readonly Digest[], before: Date): Promise<number>;
  /** Takes away what writers that died have left behind. Returns how many. */
  sweep(before: Date): Promise<number>;
}

export interface Blob {
  readonly digest: Digest;
  readonly bytes: Uint8Array;
}

export interface BlobEntry {
  readonly digest: Digest;
  readonly size: number;
  readonly putAt: Date;
}
