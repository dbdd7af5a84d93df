/**
 * A sketch of the terms of a document, by which near copies are found: the terms fall into buckets, and of each
 * bucket one byte of its least hash is kept. The share of equal buckets is close to the share of common terms.
 */
export const FINGERPRINT_BYTES = 32;

/** The byte of a bucket without terms. */
const EMPTY = 0;
/** With fewer filled buckets the sketch is too coarse for anything but equality. */
const FEWEST_FILLED = 24;

/** Reused between documents, because a build writes many. */
const least = new Uint32Array(FINGERPRINT_BYTES);
const filled = new Uint8Array(FINGERPRINT_BYTES);

/** Writes the sketch of a document with these terms; `hashes` are by term. */
export function writeFingerprint(
  terms: readonly number[],
  hashes: Uint32Array,
  into: Uint8Array,
  start: number,
): void {
  least.fill(0xffffffff);
  filled.fill(0);
  for (let at = 0; at < terms.length; at += 1) {
    const hash = hashes[terms[at] ?? 0] ?? 0;
    const bucket = hash % FINGERPRINT_BYTES;
    filled[bucket] = 1;
    if (hash < (least[bucket] ?? 0)) least[bucket] = hash;
  }
  for (let bucket = 0; bucket < FINGERPRINT_BYTES; bucket += 1)
    into[start + bucket] = filled[bucket] === 0 ? EMPTY : 1 + (((least[bucket] ?? 0) >>> 5) % 255);
}

/** A hash of a term that is the same in every index. */
export function hashTerm(term: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < term.length; at += 1) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca77);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** How many filled buckets differ, counted up to one more than `most`. */
export function differencesOf(a: Uint8Array, b: Uint8Array, most: number): number {
  let different = 0;
  for (let bucket = 0; bucket < FINGERPRINT_BYTES && different <= most; bucket += 1)
    if (a[bucket] !== b[bucket]) different += 1;
  return different;
}

/** Whether a document has enough terms for a comparison of its fingerprint with a tolerance. */
export function isDetailed(fingerprint: Uint8Array): boolean {
  return fingerprint.reduce((sum, byte) => sum + (byte === EMPTY ? 0 : 1), 0) >= FEWEST_FILLED;
}
