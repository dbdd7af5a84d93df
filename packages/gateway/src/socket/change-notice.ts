/** Tells that something changed: at once, and then no more often than once in a while, however much does. */
export class ChangeNotice {
  readonly #everyMs: number;
  readonly #tell: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isDue = false;

  constructor(everyMs: number, tell: () => void) {
    this.#everyMs = everyMs;
    this.#tell = tell;
  }

  ring(): void {
    if (this.#timer !== undefined) {
      this.#isDue = true;
      return;
    }
    this.#timer = setTimeout(() => this.#rest(), this.#everyMs).unref();
    this.#tell();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isDue = false;
  }

  #rest(): void {
    this.#timer = undefined;
    if (!this.#isDue) return;
    this.#isDue = false;
    this.ring();
  }
}
