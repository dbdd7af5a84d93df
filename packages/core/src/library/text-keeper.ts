import type { Digest } from "@skillhold/protocol";

/**
 * Caches texts of SKILL.md by hash within a byte budget, so that a skill with a broken edit keeps its last valid text.
 * Evicts the least recently used.
 */
export class TextCache {
  readonly #budget: number;
  readonly #texts = new Map<Digest, Uint8Array>();
  #bytes = 0;

  constructor(budget: number) {
    this.#budget = budget;
  }

  keep(hash: Digest, bytes: Uint8Array): void {
    if (bytes.length > this.#budget) return;
    const known = this.#texts.get(hash);
    this.#forget(hash);
    // A copy, because the input may be a slice of a larger buffer.
    this.#texts.set(hash, known ?? new Uint8Array(bytes));
    this.#bytes += bytes.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#bytes <= this.#budget) break;
      this.#forget(oldest);
    }
  }

  /** True when another text would evict one. */
  get isFull(): boolean {
    return this.#bytes > this.#budget * 0.9;
  }

  find(hash: Digest): Uint8Array | undefined {
    return this.#texts.get(hash);
  }

  #forget(hash: Digest): void {
    this.#bytes -= this.#texts.get(hash)?.length ?? 0;
    this.#texts.delete(hash);
  }
}
