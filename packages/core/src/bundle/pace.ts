import { setImmediate } from "node:timers/promises";
import { SkillError } from "@skillhold/protocol/error";

/**
 * Yields to other work between short pieces of synchronous file work. System calls on small files are several times
 * faster on this thread than through the thread pool.
 */
export class Pace {
  readonly #signal: AbortSignal | undefined;
  readonly #stride: number;
  #spent = 0;

  /** Yields after every `stride` units of work; the caller defines a unit. */
  constructor(stride: number, signal?: AbortSignal) {
    this.#stride = stride;
    this.#signal = signal;
  }

  /** Counts work; true when the caller should `await rest()`. */
  isDue(units = 1): boolean {
    this.#spent += units;
    return this.#spent >= this.#stride;
  }

  async rest(): Promise<void> {
    this.#spent = 0;
    await setImmediate();
    this.stopIfAborted();
  }

  stopIfAborted(): void {
    if (this.#signal?.aborted !== true) return;
    throw new SkillError("INTERRUPTED", "The work was interrupted.", { cause: this.#signal.reason });
  }
}
