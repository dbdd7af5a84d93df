const NOTHING = new Uint8Array();

/** Reads a chunk sequence by position, regardless of chunk sizes. */
export class ChunkReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #piece: Uint8Array = NOTHING;
  #position = 0;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  get position(): number {
    return this.#position;
  }

  /** The next bytes of the current chunk, at most `most`; undefined at the end. */
  async next(most: number): Promise<Uint8Array | undefined> {
    while (this.#piece.length === 0) {
      const { done, value } = await this.#pieces.next();
      if (done === true) return undefined;
      this.#piece = value;
    }
    const piece = this.#piece.subarray(0, most);
    this.#piece = this.#piece.subarray(piece.length);
    this.#position += piece.length;
    return piece;
  }

  /** The next bytes in one chunk; fewer than requested only at the end. Contract: earlier chunks stay valid. */
  async take(length: number): Promise<Uint8Array> {
    const first = await this.next(length);
    if (first === undefined || first.length === length) return first ?? NOTHING;
    const parts = [first];
    for (let left = length - first.length; left > 0; ) {
      const piece = await this.next(left);
      if (piece === undefined) break;
      parts.push(piece);
      left -= piece.length;
    }
    return concat(parts);
  }

  /** Skips to a later position; false when the end comes first. */
  async skipTo(position: number): Promise<boolean> {
    while (this.#position < position)
      if ((await this.next(position - this.#position)) === undefined) return false;
    return true;
  }

  /** Contract: always called, even after a partial read. */
  async close(): Promise<void> {
    await this.#pieces.return?.();
  }
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
