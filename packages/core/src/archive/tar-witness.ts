import { extract, type Header } from "tar-stream";
import { refuseArchive } from "./refusal.ts";

/** An entry as tar-stream finds it. */
export interface WitnessedEntry {
  readonly header: Header;
  /** Where its own header begins, behind those that extend it. */
  readonly start: number;
}

/**
 * tar-stream's reading of a tar, beside our own.
 *
 * Contract: `onEntry` does not throw.
 */
export class TarWitness {
  // So low that every piece has to be used up before there is room for the next.
  readonly #reader = extract({ highWaterMark: 1 });
  #failure: Error | undefined;
  #wake = (): void => undefined;

  constructor(onEntry: (entry: WitnessedEntry) => void) {
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

  /** Takes the next piece. Contract: the bytes stay as they are, because parts of them are kept. */
  async take(piece: Uint8Array): Promise<void> {
    await this.#until(() => void this.#reader.write(piece));
  }

  /** To be called when there is no more; throws for what was wrong with any of it. */
  async end(): Promise<void> {
    await this.#until(() => void this.#reader.end(null));
    if (this.#failure !== undefined)
      throw refuseArchive("damaged", `cannot be read (${this.#failure.message})`);
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
