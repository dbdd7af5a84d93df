import { extract, type Header } from "tar-stream";
import { rejectArchive } from "./rejection.ts";

/** An entry as tar-stream reads it. */
export interface TarStreamEntry {
  readonly header: Header;
  /** The offset of its own header, after its extensions. */
  readonly start: number;
}

/**
 * A second reader of a tar, by tar-stream.
 *
 * Contract: `onEntry` does not throw.
 */
export class TarStreamReader {
  // So low that each chunk is consumed before the next is accepted.
  readonly #reader = extract({ highWaterMark: 1 });
  #failure: Error | undefined;
  #wake = (): void => undefined;

  constructor(onEntry: (entry: TarStreamEntry) => void) {
    this.#reader.on("entry", (header, content, next) => {
      onEntry({ header, start: content.offset });
      content.on("end", () => next());
      content.on("error", (error) => this.#fail(error));
      content.resume();
    });
    this.#reader.on("error", (error) => this.#fail(error));
    this.#reader.on("drain", () => this.#wake());
    this.#reader.on("close", () => this.#wake());
  }

  /** Adds the next chunk. Contract: the bytes stay valid, because parts are kept. */
  async take(piece: Uint8Array): Promise<void> {
    await this.#until(() => void this.#reader.write(piece));
  }

  /** Contract: called at the end. Throws for any error so far. */
  async end(): Promise<void> {
    await this.#until(() => void this.#reader.end(null));
    if (this.#failure !== undefined)
      throw rejectArchive("damaged", `cannot be read (${this.#failure.message})`);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
  }

  async #until(start: () => void): Promise<void> {
    if (this.#reader.destroying) return;
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    start();
    await woken;
  }
}
