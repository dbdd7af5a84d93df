import type { Digest } from "@skillhold/protocol";

/**
 * Keeps texts of SKILL.md by their hash, within a budget of bytes, so that a skill whose newest edit is broken can go
 * on with the last text that was good. What was used last is kept longest.
 */
export class TextKeeper {
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
    // A copy of its own: what was read may be a slice of something larger.
    this.#texts.set(hash, known ?? new Uint8Array(bytes));
    this.#bytes += bytes.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#bytes <= this.#budget) break;
      this.#forget(oldest);
    }
  }

  /** True when a further text would push out another. */
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
