import { crc32, createInflateRaw, type InflateRaw, inflateRawSync } from "node:zlib";
import type { SkillError } from "@skillhold/protocol/error";
import { errorCodeOf } from "../bundle/contain.ts";

/** The output limit, and the errors for exceeding it and for damaged data. */
export interface InflateBound {
  readonly maxBytes: number;
  readonly refuse: (problem: "too-large" | "damaged") => SkillError;
}

/** The result of a complete decompression. */
export interface Inflation {
  readonly size: number;
  readonly checksum: number;
  /** The number of consumed input bytes; the rest is not compressed data. */
  readonly consumed: number;
}

const PIECE_BYTES = 1024 * 1024;

/** Inflates small raw deflate data synchronously, up to the limit. */
export function inflateAtOnce(
  data: Uint8Array,
  { maxBytes, refuse }: InflateBound,
): Inflation & { readonly bytes: Buffer } {
  try {
    const { buffer, engine } = inflateRawSync(data, {
      info: true,
      maxOutputLength: Math.max(1, maxBytes),
      // One byte more, so that data within the limit is inflated in one chunk and its end is seen.
      chunkSize: Math.max(64, maxBytes + 1),
      // With `info`, zlib returns this shape.
    }) as unknown as InflatedInfo;
    return { bytes: buffer, size: buffer.length, checksum: crc32(buffer), consumed: engine.bytesWritten };
  } catch (error) {
    throw refuse(errorCodeOf(error) === "ERR_BUFFER_TOO_LARGE" ? "too-large" : "damaged");
  }
}

/** The result of zlib with `info: true`, which its types lack. */
interface InflatedInfo {
  readonly buffer: Buffer;
  readonly engine: InflateRaw;
}

/** Inflates raw deflate data in chunks, off this thread, up to the limit. */
export async function* inflatePieces(
  data: AsyncIterable<Uint8Array>,
  { maxBytes, refuse }: InflateBound,
): AsyncGenerator<Buffer, Inflation> {
  const engine = createInflateRaw({ chunkSize: PIECE_BYTES });
  const feeding = feed(data, engine);
  let size = 0;
  let checksum = 0;
  try {
    for await (const piece of engine) {
      size += piece.length;
      if (size > maxBytes) throw refuse("too-large");
      checksum = crc32(piece, checksum);
      yield piece;
    }
    return { size, checksum, consumed: engine.bytesWritten };
  } catch (error) {
    throw errorCodeOf(error).startsWith("Z_") ? refuse("damaged") : error;
  } finally {
    engine.destroy();
    await feeding;
  }
}

/**
 * Requests a chunk only after the last one is consumed, because its bytes may be overwritten. The chunk in which the
 * compressed data ends is never acknowledged; the engine is closed instead.
 */
async function feed(data: AsyncIterable<Uint8Array>, engine: InflateRaw): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    engine.once("close", resolve);
  });
  try {
    for await (const piece of data) {
      await Promise.race([write(engine, piece), closed]);
      if (engine.destroyed) return;
    }
    engine.end();
  } catch (error) {
    engine.destroy(error instanceof Error ? error : new TypeError("The archive cannot be read."));
  }
}

/** Errors reach the reader through the engine. */
function write(engine: InflateRaw, piece: Uint8Array): Promise<unknown> {
  return new Promise((resolve) => {
    engine.write(piece, resolve);
  });
}
