import { writeArchive } from "@skillhold/core/archive";
import type { Digest } from "@skillhold/protocol";
import { sha256Of, unsharedBytes } from "../bytes.ts";

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

const MAX_BYTES = 64 * 1024 * 1024;

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
      if (this.#bytes <= MAX_BYTES) break;
      this.#packed.delete(oldest);
      this.#bytes -= bytes.length;
    }
  }
}
