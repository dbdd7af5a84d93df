/** Turns texts into vectors whose cosine says how close their meanings are. */
export interface Embedder {
  /** Names the model. Vectors of two ids are never compared. */
  readonly id: string;
  /** One vector for each text, all of one length. Fails rather than leave one out. */
  embed(
    texts: readonly string[],
    kind: "query" | "document",
    signal?: AbortSignal,
  ): Promise<readonly Float32Array[]>;
}

/** A vector as it is kept: the largest component is 127 or -127. */
export type PackedVector = Int8Array;

export function packVector(vector: Float32Array): PackedVector {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  if (largest === 0 || !Number.isFinite(largest)) return new Int8Array(vector.length);
  return Int8Array.from(vector, (value) => Math.round((127 * value) / largest));
}

/** From -1 to 1; 0 for vectors of two lengths or without a direction. */
export function cosineOf(a: PackedVector, b: PackedVector): number {
  if (a.length !== b.length) return 0;
  let product = 0;
  let first = 0;
  let second = 0;
  for (let at = 0; at < a.length; at += 1) {
    const x = a[at] ?? 0;
    const y = b[at] ?? 0;
    product += x * y;
    first += x * x;
    second += y * y;
  }
  return first === 0 || second === 0 ? 0 : product / Math.sqrt(first * second);
}
