import type { Digest } from "@skillhold/protocol";

export interface FileCacheBounds {
  readonly bytes: number;
  /** A larger file is not cached. */
  readonly largest: number;
}

/** The approximate memory of an entry beside its bytes. */
const ENTRY_BYTES = 256;
const defaultBounds: FileCacheBounds = { bytes: 32 * 1024 * 1024, largest: 256 * 1024 };

interface CachedFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  isUsed: boolean;
}

/** Small files by digest. Contract: the caller may read a file with this digest, and callers do not write to the bytes. */
export class FileCache {
  readonly #files = new Map<Digest, CachedFile>();
  readonly #bounds: FileCacheBounds;
  #bytes = 0;

  constructor(bounds: Partial<FileCacheBounds> = {}) {
    this.#bounds = { ...defaultBounds, ...bounds };
  }

  /** Contract: `read` returns bytes with this digest. */
  async get(digest: Digest, read: () => Promise<Uint8Array<ArrayBuffer>>): Promise<Uint8Array<ArrayBuffer>> {
    const cached = this.#files.get(digest);
    if (cached !== undefined) {
      cached.isUsed = true;
      return cached.bytes;
    }
    const bytes = await read();
    if (bytes.length <= this.#bounds.largest) this.#keep(digest, bytes);
    return bytes;
  }

  #keep(digest: Digest, bytes: Uint8Array<ArrayBuffer>): void {
    // Another request may have read the file meanwhile.
    if (this.#files.has(digest)) return;
    const cost = costOf(bytes);
    while (this.#files.size > 0 && this.#bytes + cost > this.#bounds.bytes) this.#evictOne();
    this.#files.set(digest, { bytes, isUsed: false });
    this.#bytes += cost;
  }

  /** Second chance: a used file moves to the end as unused; the first unused one is dropped. */
  #evictOne(): void {
    for (const [digest, file] of this.#files) {
      this.#files.delete(digest);
      if (!file.isUsed) {
        this.#bytes -= costOf(file.bytes);
        return;
      }
      file.isUsed = false;
      this.#files.set(digest, file);
    }
  }
}

function costOf({ length }: Uint8Array): number {
  return length + ENTRY_BYTES;
}
