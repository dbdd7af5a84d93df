/** Throttles change notifications: the first is sent at once, then at most one per interval, and never loses the last. */
export class ChangeThrottle {
  readonly #intervalMs: number;
  readonly #send: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isDue = false;

  constructor(intervalMs: number, send: () => void) {
    this.#intervalMs = intervalMs;
    this.#send = send;
  }

  notify(): void {
    if (this.#timer !== undefined) {
      this.#isDue = true;
      return;
    }
    this.#timer = setTimeout(() => this.#flush(), this.#intervalMs).unref();
    this.#send();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isDue = false;
  }

  #flush(): void {
    this.#timer = undefined;
    if (!this.#isDue) return;
    this.#isDue = false;
    this.notify();
  }
}
