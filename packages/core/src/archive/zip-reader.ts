import { RandomAccessReader } from "yauzl";
import type { SealedArchive } from "./sealed-archive.ts";

/** Lets yauzl read from a sealed archive. Where data lies we find by ourselves, so it opens no streams. */
export class ZipReader extends RandomAccessReader {
  readonly #archive: SealedArchive;

  constructor(archive: SealedArchive) {
    super();
    this.#archive = archive;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#fill(buffer.subarray(offset, offset + length), position).then(() => callback(null), callback);
  }

  async #fill(into: Buffer, position: number): Promise<void> {
    if (position + into.length > this.#archive.size) throw new RangeError("unexpected end of the archive");
    into.set(await this.#archive.read(position, into.length));
  }
}
