/** What is to be closed, the last first, whatever fails on the way. */
export class CloserList {
  readonly #closers: (() => unknown)[] = [];
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Passes on what was opened. */
  add<T>(opened: T, close: (opened: T) => unknown): T {
    this.#closers.push(() => close(opened));
    return opened;
  }

  async close(): Promise<void> {
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop())
      try {
        await close();
      } catch (error) {
        this.#onError(error);
      }
  }
}
