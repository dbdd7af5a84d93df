import { crc32, createInflateRaw, type InflateRaw, inflateRawSync } from "node:zlib";
import type { SkillError } from "@skillhold/protocol/error";
import { errorCodeOf } from "../bundle/contain.ts";

/** How far to go, and what to say when it is not far enough or goes nowhere. */
export interface InflateBound {
  readonly maxBytes: number;
  readonly refuse: (problem: "too-large" | "damaged") => SkillError;
}

/** What there was when all of it was inflated. */
export interface Inflation {
  readonly size: number;
  readonly checksum: number;
  /** How many of the bytes given were compressed data; what follows is something else. */
  readonly consumed: number;
}

const PIECE_BYTES = 1024 * 1024;

/** Inflates raw deflate data at once, to the bound at the most, whatever it claims to be. For what is small. */
export function inflateAtOnce(
  data: Uint8Array,
  { maxBytes, refuse }: InflateBound,
): Inflation & { readonly bytes: Buffer } {
  try {
    const { buffer, engine } = inflateRawSync(data, {
      info: true,
      maxOutputLength: Math.max(1, maxBytes),
      // One byte more, so that what fits is inflated in one piece and its end is seen.
      chunkSize: Math.max(64, maxBytes + 1),
      // With `info`, the answer is of that shape.
    }) as unknown as InflatedInfo;
    return { bytes: buffer, size: buffer.length, checksum: crc32(buffer), consumed: engine.bytesWritten };
  } catch (error) {
    throw refuse(errorCodeOf(error) === "ERR_BUFFER_TOO_LARGE" ? "too-large" : "damaged");
  }
}

/** What `info: true` makes zlib give, which its types do not say. */
interface InflatedInfo {
  readonly buffer: Buffer;
  readonly engine: InflateRaw;
}

/** Inflates raw deflate data piece by piece, aside from this thread, to the bound at the most. */
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
 * Asks for a piece only when the last one is used up, because its bytes may be overwritten then. A piece in which the
 * compressed data ends is never reported as used up: the engine is closed instead.
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

/** What goes wrong is told to those who read from the engine. */
function write(engine: InflateRaw, piece: Uint8Array): Promise<unknown> {
  return new Promise((resolve) => {
    engine.write(piece, resolve);
  });
}
