import type { Digest } from "@skillhold/protocol";

export interface BlobBounds {
  readonly bytes: number;
  /** A larger one is not kept. */
  readonly largest: number;
}

/** What an entry takes beside its bytes, about. */
const ENTRY_BYTES = 256;
const defaultBounds: BlobBounds = { bytes: 32 * 1024 * 1024, largest: 256 * 1024 };

interface Kept {
  readonly bytes: Uint8Array<ArrayBuffer>;
  isUsed: boolean;
}

/**
 * Bytes of small files by their digests, which say all of them. Contract: the digest comes from what the one who asks
 * may read, and nobody writes to what is handed out.
 */
export class BlobCache {
  readonly #kept = new Map<Digest, Kept>();
  readonly #bounds: BlobBounds;
  #bytes = 0;

  constructor(bounds: Partial<BlobBounds> = {}) {
    this.#bounds = { ...defaultBounds, ...bounds };
  }

  /** What is kept, or else what is read. Contract: that has the digest. */
  async get(digest: Digest, read: () => Promise<Uint8Array<ArrayBuffer>>): Promise<Uint8Array<ArrayBuffer>> {
    const kept = this.#kept.get(digest);
    if (kept !== undefined) {
      kept.isUsed = true;
      return kept.bytes;
    }
    const bytes = await read();
    if (bytes.length <= this.#bounds.largest) this.#keep(digest, bytes);
    return bytes;
  }

  /** Another may have read it meanwhile. */
  #keep(digest: Digest, bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#kept.has(digest)) return;
    const cost = costOf(bytes);
    while (this.#kept.size > 0 && this.#bytes + cost > this.#bounds.bytes) this.#dropOne();
    this.#kept.set(digest, { bytes, isUsed: false });
    this.#bytes += cost;
  }

  /** One that was used since it was last come upon goes to the end. */
  #dropOne(): void {
    for (const [digest, kept] of this.#kept) {
      this.#kept.delete(digest);
      if (!kept.isUsed) {
        this.#bytes -= costOf(kept.bytes);
        return;
      }
      kept.isUsed = false;
      this.#kept.set(digest, kept);
    }
  }
}

function costOf({ length }: Uint8Array): number {
  return length + ENTRY_BYTES;
}
