import { writeArchive } from "@skillhold/core/archive";
import type { Digest } from "@skillhold/protocol";
import type { TreeDiff, TreeDiffs } from "@skillhold/registry/release";
import { LRUCache } from "lru-cache";
import { sha256Of, unsharedBytes } from "../bytes.ts";
import { BoundedQueue } from "../limit/bounded-queue.ts";

export interface FileCacheBounds {
  readonly bytes: number;
  /** A larger file is not cached. */
  readonly largest: number;
}

/** The approximate memory of an entry beside its bytes. */
const ENTRY_BYTES = 256;
const defaultFileBounds: FileCacheBounds = { bytes: 32 * 1024 * 1024, largest: 256 * 1024 };

/** Small files by digest. Contract: the caller may read a file with this digest, and callers do not write to the bytes. */
export class SmallFileCache {
  readonly #files: LRUCache<Digest, Uint8Array<ArrayBuffer>>;

  constructor(bounds: Partial<FileCacheBounds> = {}) {
    const { bytes, largest } = { ...defaultFileBounds, ...bounds };
    this.#files = new LRUCache({
      maxSize: bytes,
      maxEntrySize: largest + ENTRY_BYTES,
      sizeCalculation: ({ length }) => length + ENTRY_BYTES,
    });
  }

  /** Contract: `read` returns bytes with this digest. */
  async get(digest: Digest, read: () => Promise<Uint8Array<ArrayBuffer>>): Promise<Uint8Array<ArrayBuffer>> {
    const cached = this.#files.get(digest);
    if (cached !== undefined) return cached;
    const bytes = await read();
    this.#files.set(digest, bytes);
    return bytes;
  }
}

export interface PackedSkill {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly digest: Digest;
}

export interface PackedFile {
  readonly path: string;
  readonly executable: boolean;
  readonly content: Uint8Array;
}

export type PackFormat = "zip" | "tar.gz";

const MAX_ARCHIVE_BYTES = 64 * 1024 * 1024;

/**
 * Archives of skills by tree hash, which determines their bytes; least recently used archives are dropped. Contract: the
 * caller may read the files of the tree.
 */
export class ArchiveCache {
  readonly #packed = new LRUCache<string, PackedSkill>({
    maxSize: MAX_ARCHIVE_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length,
  });
  readonly #packing = new Map<string, Promise<PackedSkill>>();

  async get(
    tree: Digest,
    format: PackFormat,
    read: () => Promise<readonly PackedFile[]>,
  ): Promise<PackedSkill> {
    const key = `${tree} ${format}`;
    const packed = this.#packed.get(key);
    if (packed !== undefined) return packed;
    const packing =
      this.#packing.get(key) ?? this.#pack(key, format, read).finally(() => this.#packing.delete(key));
    this.#packing.set(key, packing);
    return await packing;
  }

  async #pack(
    key: string,
    format: PackFormat,
    read: () => Promise<readonly PackedFile[]>,
  ): Promise<PackedSkill> {
    const bytes = unsharedBytes(await writeArchive(format, await read()));
    const packed = { bytes, digest: sha256Of(bytes) };
    this.#packed.set(key, packed);
    return packed;
  }
}

/** A diff has at most two megabytes of text. */
const MAX_DIFFS = 16;
const MAX_WAITING = 16;

/** Diffs of two trees, which never change. One diff is computed at a time because it blocks the event loop. */
export class DiffCache implements TreeDiffs {
  readonly #diffs = new LRUCache<string, TreeDiff>({ max: MAX_DIFFS });
  readonly #pending = new Map<string, Promise<TreeDiff>>();
  readonly #queue = new BoundedQueue(MAX_WAITING);

  async get(from: Digest, to: Digest, compute: () => Promise<TreeDiff>): Promise<TreeDiff> {
    const key = `${from} ${to}`;
    const known = this.#diffs.get(key) ?? this.#pending.get(key);
    if (known !== undefined) return await known;
    const pending = this.#queue.run(compute).finally(() => this.#pending.delete(key));
    this.#pending.set(key, pending);
    const diff = await pending;
    this.#diffs.set(key, diff);
    return diff;
  }
}
