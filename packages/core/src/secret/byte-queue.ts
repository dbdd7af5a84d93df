/** Bytes that go in at one end and out at the other. Each costs a constant time, however small the pieces are. */
export class ByteQueue {
  #bytes = Buffer.alloc(0);
  #start = 0;
  #end = 0;

  append(chunk: Uint8Array): void {
    if (this.#end + chunk.length > this.#bytes.length) this.#makeRoom(chunk.length);
    this.#bytes.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  /** The first `count` bytes, as a copy. */
  take(count: number): Uint8Array {
    const bytes = Buffer.from(this.#bytes.subarray(this.#start, this.#start + count));
    this.drop(count);
    return bytes;
  }

  drop(count: number): void {
    this.#start += count;
    if (this.#start === this.#end) {
      this.#start = 0;
      this.#end = 0;
    }
  }

  /** What is left moves to the front of a store at least twice as long as it, so that it moves seldom. */
  #makeRoom(count: number): void {
    const length = this.#end - this.#start;
    const store = Buffer.alloc(2 * (length + count));
    this.#bytes.copy(store, 0, this.#start, this.#end);
    this.#bytes = store;
    this.#start = 0;
    this.#end = length;
  }
}
