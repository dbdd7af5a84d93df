import { hash } from "node:crypto";
import type { IndexCache } from "../index-cache.ts";
import type { PackedVector } from "../search/index.ts";

/** Where vectors are kept between starts, by embedder and by the hash of the embedded text. */
export interface VectorStore {
  load(embedder: string, keys: readonly string[]): Promise<ReadonlyMap<string, PackedVector>>;
  save(embedder: string, vectors: ReadonlyMap<string, PackedVector>): Promise<void>;
}

/** The key of a text. Skills with the same text share one vector. */
export function vectorKey(text: string): string {
  return hash("sha256", text, "hex");
}

const KEY_BYTES = 32;
const MAGIC = "skv1";
/** The oldest vectors are dropped above this number. */
const MOST_KEPT = 100_000;

/** Keeps the vectors of each embedder as one entry of a cache, which may lose it. */
export function cacheVectors(cache: IndexCache): VectorStore {
  const place = (embedder: string) => `vectors:${hash("sha256", embedder, "hex")}`;
  const read = (embedder: string) => decode(cache.load(place(embedder)));
  return {
    load: async (embedder, keys) => {
      const kept = read(embedder);
      return new Map(
        keys.flatMap((key) => {
          const vector = kept.get(key);
          return vector === undefined ? [] : [[key, vector] as const];
        }),
      );
    },
    save: async (embedder, vectors) => {
      // Another process may have saved since this one loaded.
      const all = [...read(embedder), ...vectors].slice(-MOST_KEPT);
      cache.save(place(embedder), encode(new Map(all)));
    },
  };
}

/** Entries of a key, a length and the components, one after another. */
function encode(vectors: ReadonlyMap<string, PackedVector>): Uint8Array {
  const parts: Uint8Array[] = [Buffer.from(MAGIC)];
  for (const [key, vector] of vectors) {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(vector.length);
    parts.push(
      Buffer.from(key, "hex"),
      length,
      new Uint8Array(vector.buffer, vector.byteOffset, vector.length),
    );
  }
  return Buffer.concat(parts);
}

/** The entries up to the first that is damaged. */
function decode(bytes: Uint8Array | undefined): Map<string, PackedVector> {
  const vectors = new Map<string, PackedVector>();
  if (bytes === undefined) return vectors;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (buffer.toString("latin1", 0, MAGIC.length) !== MAGIC) return vectors;
  let at = MAGIC.length;
  while (at + KEY_BYTES + 4 <= buffer.length) {
    const key = buffer.toString("hex", at, at + KEY_BYTES);
    const length = buffer.readUInt32LE(at + KEY_BYTES);
    const start = at + KEY_BYTES + 4;
    if (length === 0 || start + length > buffer.length) break;
    vectors.set(key, new Int8Array(buffer.subarray(start, start + length)));
    at = start + length;
  }
  return vectors;
}
