import type { Digest } from "@skillhold/protocol";
import { LRUCache } from "lru-cache";

/** Caches texts of SKILL.md by hash within a byte budget, so that a skill with a broken edit keeps its last valid text. */
export class TextCache {
  readonly #texts: LRUCache<Digest, Uint8Array>;

  constructor(budget: number) {
    // The cache accepts no entry of size 0.
    this.#texts = new LRUCache({ maxSize: budget, sizeCalculation: ({ length }) => Math.max(1, length) });
  }

  keep(hash: Digest, bytes: Uint8Array): void {
    // A copy, because the input may be a slice of a larger buffer.
    if (this.#texts.get(hash) === undefined) this.#texts.set(hash, new Uint8Array(bytes));
  }

  /** True when another text would evict one. */
  get isFull(): boolean {
    return this.#texts.calculatedSize > this.#texts.maxSize * 0.9;
  }

  find(hash: Digest): Uint8Array | undefined {
    return this.#texts.get(hash);
  }
}
