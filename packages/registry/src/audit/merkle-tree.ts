import { hash } from "node:crypto";

/** The root of an empty log. */
export const NO_ENTRIES = hash("sha256", "", "hex");

/**
 * All of a log's tree, as RFC 6962 builds it: the roots of every full subtree, by height. A proof takes a number of
 * steps that grows with the logarithm of the log.
 */
export class MerkleTree {
  readonly #levels: string[][] = [[]];

  get size(): number {
    return this.#levels[0]?.length ?? 0;
  }

  /** Adds an entry, which is text. */
  append(entry: string): void {
    this.#put(0, leafHash(entry));
  }

  /** The root over the first `size` entries. */
  root(size: number): string {
    this.#check(size);
    return size === 0 ? NO_ENTRIES : this.#hash(0, size);
  }

  /** The hash of the entry at an index, which starts at 0. */
  leaf(index: number): string {
    this.#check(index + 1);
    return this.#levels[0]?.[index] ?? "";
  }

  /** The hashes that lead from an entry to the root over the first `size` entries. */
  inclusion(index: number, size: number): readonly string[] {
    this.#check(size);
    if (index < 0 || index >= size) throw new RangeError(`The log of ${size} entries has no entry ${index}.`);
    return this.#path(index, 0, size);
  }

  /** The hashes that show that the first `from` of `to` entries are still what they were. */
  consistency(from: number, to: number): readonly string[] {
    this.#check(to);
    if (from < 1 || from > to) throw new RangeError(`A log of ${to} entries was never one of ${from}.`);
    return from === to ? [] : this.#subproof(from, 0, to, true);
  }

  #put(level: number, hash: string): void {
    const row = this.#levels[level] ?? [];
    this.#levels[level] = row;
    row.push(hash);
    if (row.length % 2 === 0) this.#put(level + 1, nodeHash(row.at(-2) ?? "", hash));
  }

  #check(size: number): void {
    if (!Number.isSafeInteger(size) || size < 0 || size > this.size)
      throw new RangeError(`The log has ${this.size} entries, not ${size}.`);
  }

  /** The root over `count` entries from `start` on; full subtrees are looked up. */
  #hash(start: number, count: number): string {
    const level = Math.log2(count);
    if (Number.isInteger(level)) return this.#levels[level]?.[start / count] ?? "";
    const left = splitOf(count);
    return nodeHash(this.#hash(start, left), this.#hash(start + left, count - left));
  }

  #path(index: number, start: number, count: number): readonly string[] {
    if (count === 1) return [];
    const left = splitOf(count);
    return index < left
      ? [...this.#path(index, start, left), this.#hash(start + left, count - left)]
      : [...this.#path(index - left, start + left, count - left), this.#hash(start, left)];
  }

  #subproof(from: number, start: number, count: number, isWhole: boolean): readonly string[] {
    if (from === count) return isWhole ? [] : [this.#hash(start, count)];
    const left = splitOf(count);
    return from <= left
      ? [...this.#subproof(from, start, left, isWhole), this.#hash(start + left, count - left)]
      : [...this.#subproof(from - left, start + left, count - left, false), this.#hash(start, left)];
  }
}

/** The largest power of two below a count. */
function splitOf(count: number): number {
  return 2 ** Math.floor(Math.log2(count - 1));
}

export interface InclusionProof {
  readonly leaf: string;
  readonly index: number;
  readonly size: number;
  readonly path: readonly string[];
}

/** Whether an entry is in the log of this root. Hostile input is false. */
export function isIncluded({ leaf, index, size, path }: InclusionProof, root: string): boolean {
  if (!isCount(index) || !isCount(size) || index >= size || !areHashes([leaf, ...path])) return false;
  let [at, last] = [index, size - 1];
  let hash = leaf;
  for (const step of path) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      hash = nodeHash(step, hash);
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else hash = nodeHash(hash, step);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && hash === root;
}

export interface ConsistencyProof {
  readonly from: number;
  readonly to: number;
  readonly path: readonly string[];
}

/** Whether the log of one root grew into the log of another. Hostile input is false. */
export function isConsistent({ from, to, path }: ConsistencyProof, older: string, newer: string): boolean {
  if (!isCount(from) || !isCount(to) || from < 1 || from > to || !areHashes(path)) return false;
  if (from === to) return path.length === 0 && older === newer;
  // A full subtree is its own first step.
  const steps = Number.isInteger(Math.log2(from)) ? [older, ...path] : [...path];
  const [first, ...rest] = steps;
  if (first === undefined) return false;
  let [at, last] = [from - 1, to - 1];
  while (at % 2 === 1) [at, last] = [half(at), half(last)];
  let [before, after] = [first, first];
  for (const step of rest) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      before = nodeHash(step, before);
      after = nodeHash(step, after);
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else after = nodeHash(after, step);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && before === older && after === newer;
}

function half(number: number): number {
  return Math.floor(number / 2);
}

function isCount(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 0;
}

function areHashes(hashes: readonly string[]): boolean {
  return hashes.length <= 128 && hashes.every((hash) => /^[0-9a-f]{64}$/.test(hash));
}

export function leafHash(entry: string): string {
  return hash("sha256", `\0${entry}`, "hex");
}

export function nodeHash(left: string, right: string): string {
  return hash("sha256", Buffer.from(`01${left}${right}`, "hex"), "hex");
}
