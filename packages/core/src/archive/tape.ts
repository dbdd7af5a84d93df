const NOTHING = Buffer.alloc(0);

/** Reads pieces on from place to place, whatever their lengths are. */
export class Tape {
  readonly #pieces: AsyncIterator<Buffer>;
  #piece: Buffer = NOTHING;
  #position = 0;

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  get position(): number {
    return this.#position;
  }

  /** The next bytes, as many as there are in a piece and not more than `most`; undefined at the end. */
  async next(most: number): Promise<Buffer | undefined> {
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

  /** The next bytes in one piece: fewer than asked for only at the end. Contract: the pieces stay as they are. */
  async take(length: number): Promise<Buffer> {
    const first = await this.next(length);
    if (first === undefined || first.length === length) return first ?? NOTHING;
    const parts = [first];
    for (let left = length - first.length; left > 0; ) {
      const piece = await this.next(left);
      if (piece === undefined) break;
      parts.push(piece);
      left -= piece.length;
    }
    return Buffer.concat(parts);
  }

  /** Goes on to a place ahead; false when the end comes before. */
  async skipTo(position: number): Promise<boolean> {
    while (this.#position < position)
      if ((await this.next(position - this.#position)) === undefined) return false;
    return true;
  }

  /** Contract: to be called whether or not all was read. */
  async close(): Promise<void> {
    await this.#pieces.return?.();
  }
}
