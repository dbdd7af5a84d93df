import { hashSkillFile } from "@skillhold/core/bundle";
import type { Digest } from "@skillhold/protocol";

/** What a file must be. */
export interface Blob {
  readonly digest: Digest;
  readonly size: number;
}

/**
 * Bytes that were handed over before, by their digest. A file is looked for only when the gateway lists it now, and what
 * is found is what was asked for, or nothing is. It may lose anything and fails nobody.
 */
export interface BlobCache {
  find(blob: Blob): Promise<Uint8Array | undefined>;
  /** Contract: the bytes are those of the digest. */
  keep(blob: Blob, bytes: Uint8Array): Promise<void>;
}

export function isBlob(bytes: Uint8Array, { digest, size }: Blob): boolean {
  return bytes.length === size && hashSkillFile(bytes) === digest;
}

const MOST_BYTES = 16 * 1024 * 1024;

/** Keeps the last ones in memory, where there is no folder for them. */
export function memoryBlobs(mostBytes: number = MOST_BYTES): BlobCache {
  const kept = new Map<string, Uint8Array>();
  let total = 0;
  const drop = (digest: string) => {
    total -= kept.get(digest)?.length ?? 0;
    kept.delete(digest);
  };
  return {
    find: async ({ digest, size }) => {
      const bytes = kept.get(digest);
      return bytes?.length === size ? bytes : undefined;
    },
    keep: async ({ digest }, bytes) => {
      if (bytes.length > mostBytes) return;
      drop(digest);
      kept.set(digest, bytes);
      total += bytes.length;
      for (const [oldest] of kept) {
        if (total <= mostBytes) return;
        drop(oldest);
      }
    },
  };
}
