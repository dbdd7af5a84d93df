import { createHash, hash } from "node:crypto";
import type { Digest } from "@skillhold/protocol";
import type { Pace } from "../bundle/pace.ts";
import { type ArchiveBytes, changedArchive } from "./archive-bytes.ts";

/** The number of bytes that cost as much as an entry. */
const BYTES_PER_ENTRY = 32 * 1024;
/** The largest chunk, which keeps each turn short. */
const PIECE_BYTES = 1024 * 1024;

/** Reads an archive once, which fixes its content for all later reads. */
export async function sealArchive(
  bytes: ArchiveBytes,
  chunkBytes: number,
  pace: Pace,
): Promise<SealedArchive> {
  const whole = createHash("sha256");
  const seals: string[] = [];
  const buffer = Buffer.allocUnsafeSlow(Math.min(bytes.size, chunkBytes));
  for (let start = 0; start < bytes.size; start += chunkBytes) {
    const chunk = buffer.subarray(0, bytes.size - start);
    await bytes.read(start, chunk);
    whole.update(chunk);
    seals.push(sealOf(chunk));
    if (isDueAfter(chunk, pace)) await pace.rest();
  }
  // The hash function returns 64 lowercase hexadecimal digits.
  const digest = `sha256:${whole.digest("hex")}` as Digest;
  return new SealedArchive(bytes, digest, { chunkBytes, seals, buffer }, pace);
}

/** Counts processed bytes; true when it is time to yield. */
export function isDueAfter(bytes: Uint8Array, pace: Pace): boolean {
  return pace.isDue(bytes.length / BYTES_PER_ENTRY);
}

interface Chunks {
  readonly chunkBytes: number;
  /** The hash of each chunk. */
  readonly seals: readonly string[];
  /** The last chunk. */
  readonly buffer: Buffer;
}

/**
 * An archive with the content of its first read. Every chunk that is read again must match, so the checked, unpacked
 * and hashed bytes are the same even if the file changes.
 *
 * Holds one chunk in memory. A sequential reader reads each chunk once.
 */
export class SealedArchive {
  readonly size: number;
  readonly digest: Digest;
  readonly #bytes: ArchiveBytes;
  readonly #chunks: Chunks;
  readonly #pace: Pace;
  #held: number;

  /** Contract: the bytes were just read, and the buffer holds their last chunk. */
  constructor(bytes: ArchiveBytes, digest: Digest, chunks: Chunks, pace: Pace) {
    this.size = bytes.size;
    this.digest = digest;
    this.#bytes = bytes;
    this.#chunks = chunks;
    this.#pace = pace;
    this.#held = chunks.seals.length - 1;
  }

  /** The bytes in one chunk, valid until the next read. Contract: the range is small and inside the archive. */
  async read(start: number, length: number): Promise<Buffer> {
    const { chunkBytes } = this.#chunks;
    const from = start % chunkBytes;
    if (length > 0 && from + length <= chunkBytes)
      return (await this.#hold(Math.floor(start / chunkBytes))).subarray(from, from + length);
    const parts: Buffer[] = [];
    for await (const piece of this.pieces(start, start + length)) parts.push(Buffer.from(piece));
    return Buffer.concat(parts);
  }

  /** The bytes of a range, in chunks; each is valid until the next is requested. */
  async *pieces(start: number, end: number): AsyncGenerator<Buffer> {
    const { chunkBytes } = this.#chunks;
    for (let at = start; at < end; ) {
      const chunk = await this.#hold(Math.floor(at / chunkBytes));
      const from = at % chunkBytes;
      const piece = chunk.subarray(from, from + Math.min(end - at, PIECE_BYTES));
      at += piece.length;
      yield piece;
    }
  }

  async #hold(index: number): Promise<Buffer> {
    const { chunkBytes, seals, buffer } = this.#chunks;
    const start = index * chunkBytes;
    const chunk = buffer.subarray(0, this.size - start);
    if (this.#held === index) return chunk;
    this.#held = -1;
    await this.#bytes.read(start, chunk);
    if (sealOf(chunk) !== seals[index]) throw changedArchive();
    this.#held = index;
    if (isDueAfter(chunk, this.#pace)) await this.#pace.rest();
    return chunk;
  }
}

function sealOf(chunk: Uint8Array): string {
  return hash("sha256", chunk, "base64");
}
