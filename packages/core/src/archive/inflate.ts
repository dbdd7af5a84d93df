import { type InflateRaw, inflateRaw, inflateRawSync } from "node:zlib";
import { errorCodeOf } from "../bundle/contain.ts";

export type Inflation =
  | {
      readonly bytes: Uint8Array;
      /** How many of the bytes given were compressed data; what follows is something else. */
      readonly consumed: number;
    }
  | { readonly problem: "too-large" | "damaged" };

/** Above this, others get a turn meanwhile; below it, a round trip to the thread pool costs more than the work. */
const LONGEST_TURN = 1024 * 1024;
const LARGEST_CHUNK = 1024 * 1024;

/** Inflates raw deflate data to `maxBytes` at the most, whatever it claims to be. */
export async function inflate(data: Uint8Array, maxBytes: number): Promise<Inflation> {
  const options = {
    info: true as const,
    maxOutputLength: Math.max(1, maxBytes),
    // One byte more, so that what fits is inflated in one piece and its end is seen.
    chunkSize: Math.min(Math.max(64, maxBytes + 1), LARGEST_CHUNK),
  };
  try {
    const { buffer, engine } =
      maxBytes > LONGEST_TURN ? await inflateAside(data, options) : inflateNow(data, options);
    return { bytes: buffer, consumed: engine.bytesWritten };
  } catch (error) {
    return { problem: errorCodeOf(error) === "ERR_BUFFER_TOO_LARGE" ? "too-large" : "damaged" };
  }
}

/** What `info: true` makes zlib give, which its types do not say. */
interface InflatedInfo {
  readonly buffer: Buffer;
  readonly engine: InflateRaw;
}

type InflateOptions = Parameters<typeof inflateRawSync>[1] & { readonly info: true };

function inflateNow(data: Uint8Array, options: InflateOptions): InflatedInfo {
  // With `info`, the answer is of that shape.
  return inflateRawSync(data, options) as unknown as InflatedInfo;
}

function inflateAside(data: Uint8Array, options: InflateOptions): Promise<InflatedInfo> {
  return new Promise((resolve, reject) => {
    inflateRaw(data, options, (error, result) => {
      // With `info`, the answer is of that shape.
      if (error === null) resolve(result as unknown as InflatedInfo);
      else reject(error);
    });
  });
}
