/** Closes resources in reverse order, even when a step fails. */
export class CloserList {
  readonly #steps: (() => unknown)[] = [];
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Registers a resource and returns it. */
  add<T>(opened: T, close: (opened: T) => unknown): T {
    this.#steps.push(() => close(opened));
    return opened;
  }

  async close(): Promise<void> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop())
      try {
        await step();
      } catch (error) {
        this.#onError(error);
      }
  }
}
