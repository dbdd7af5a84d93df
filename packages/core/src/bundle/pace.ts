import { setImmediate } from "node:timers/promises";
import { SkillError } from "@skillhold/protocol/error";

/**
 * Lets other work run between short pieces of synchronous file work. System calls on small files are several
 * times faster on this thread than through the thread pool, as long as nobody waits behind a long row of them.
 */
export class Pace {
  readonly #signal: AbortSignal | undefined;
  readonly #stride: number;
  #spent = 0;

  /** Rests after every `stride` units of work; the caller says what a unit is. */
  constructor(stride: number, signal?: AbortSignal) {
    this.#stride = stride;
    this.#signal = signal;
  }

  /** Counts work done; true when it is time to `await rest()`. */
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
