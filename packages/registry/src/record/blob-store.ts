import type { Digest } from "@skillhold/protocol";

/** Content-addressed bytes. Blobs are immutable, and `get` returns only bytes that match the digest. */
export interface BlobStore {
  /**
   * Durable when it returns, so that a row may refer to the blobs. A blob that exists counts as new again, so
   * that a running sweep does not remove it. Staged blobs may become durable only with the next commit, which names them.
   */
  put(blobs: readonly Blob[], use?: "staged"): Promise<void>;
  /** Throws INTEGRITY_FAILED if the bytes are missing or do not match the digest. */
  get(digest: Digest): Promise<Uint8Array>;
  /** The digests that are not stored. Checks names only: a stored blob may still be damaged. */
  missing(digests: readonly Digest[]): Promise<readonly Digest[]>;
  /** Every stored blob, in any order. */
  list(): AsyncIterable<BlobEntry>;
  /** Removes the blobs that were last put before the given time. */
  remove(digests: readonly Digest[], before: Date): Promise<number>;
  /** Removes the files that crashed writers left behind and returns their number. */
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
