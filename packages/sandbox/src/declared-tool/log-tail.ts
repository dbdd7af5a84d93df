import type { Readable } from "node:stream";

/** The end of what a program has printed; the rest is read and dropped, so that the program is never held up. */
export class LogTail {
  readonly #maxBytes: number;
  readonly #redact: (text: string) => string;
  #kept: Buffer = Buffer.alloc(0);

  constructor(maxBytes: number, redact: (text: string) => string) {
    this.#maxBytes = maxBytes;
    this.#redact = redact;
  }

  read(stream: Readable): void {
    stream.on("error", () => {});
    stream.on("data", (chunk: Buffer) => {
      const joined = Buffer.concat([this.#kept, chunk.subarray(-2 * this.#maxBytes)]);
      this.#kept =
        joined.length <= 4 * this.#maxBytes ? joined : Buffer.from(joined.subarray(-2 * this.#maxBytes));
    });
  }

  /** More is kept than is shown: where the text was cut, half of a secret would not be recognised. */
  text(): string {
    return this.#redact(this.#kept.toString("utf8")).slice(-this.#maxBytes);
  }
}
