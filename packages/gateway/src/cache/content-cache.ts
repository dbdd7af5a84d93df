import { writeArchive } from "@skillhold/core/archive";
import type { Digest } from "@skillhold/protocol";
import type { TreeDiff, TreeDiffs } from "@skillhold/registry/release";
import { sha256Of, unsharedBytes } from "../bytes.ts";
import { SerialQueue } from "../limit/serial-queue.ts";
import { BoundedMap } from "./bounded-map.ts";

export interface FileCacheBounds {
  readonly bytes: number;
  /** A larger file is not cached. */
  readonly largest: number;
}

/** The approximate memory of an entry beside its bytes. */
const ENTRY_BYTES = 256;
const defaultFileBounds: FileCacheBounds = { bytes: 32 * 1024 * 1024, largest: 256 * 1024 };

interface CachedFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  isUsed: boolean;
}

/** Small files by digest. Contract: the caller may read a file with this digest, and callers do not write to the bytes. */
export class SmallFileCache {
  readonly #files = new Map<Digest, CachedFile>();
  readonly #bounds: FileCacheBounds;
  #bytes = 0;

  constructor(bounds: Partial<FileCacheBounds> = {}) {
    this.#bounds = { ...defaultFileBounds, ...bounds };
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
  readonly #packed = new Map<string, PackedSkill>();
  readonly #packing = new Map<string, Promise<PackedSkill>>();
  #bytes = 0;

  async get(
    tree: Digest,
    format: PackFormat,
    read: () => Promise<readonly PackedFile[]>,
  ): Promise<PackedSkill> {
    const key = `${tree} ${format}`;
    const packed = this.#packed.get(key);
    if (packed !== undefined) {
      this.#packed.delete(key);
      this.#packed.set(key, packed);
      return packed;
    }
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
    this.#keep(key, packed);
    return packed;
  }

  #keep(key: string, packed: PackedSkill): void {
    this.#packed.set(key, packed);
    this.#bytes += packed.bytes.length;
    for (const [oldest, { bytes }] of this.#packed) {
      if (this.#bytes <= MAX_ARCHIVE_BYTES) break;
      this.#packed.delete(oldest);
      this.#bytes -= bytes.length;
    }
  }
}

/** A diff has at most two megabytes of text. */
const MAX_DIFFS = 16;
const MAX_WAITING = 16;

/** Diffs of two trees, which never change. One diff is computed at a time because it blocks the event loop. */
export class DiffCache implements TreeDiffs {
  readonly #diffs = new BoundedMap<string, TreeDiff>(MAX_DIFFS);
  readonly #pending = new Map<string, Promise<TreeDiff>>();
  readonly #queue = new SerialQueue(MAX_WAITING);

  async get(from: Digest, to: Digest, compute: () => Promise<TreeDiff>): Promise<TreeDiff> {
    const key = `${from} ${to}`;
    const known = this.#diffs.find(key) ?? this.#pending.get(key);
    if (known !== undefined) return await known;
    const pending = this.#queue.run(compute).finally(() => this.#pending.delete(key));
    this.#pending.set(key, pending);
    const diff = await pending;
    this.#diffs.set(key, diff);
    return diff;
  }
}
