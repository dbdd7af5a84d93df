import { fieldRules } from "./document.ts";

/**
 * Postings of a term: how many documents, then for each one the distance to the one before it, its impact, and its
 * fields if they are other than the body alone. The lowest bit of the distance says whether the fields follow.
 * About 2.5 bytes a posting.
 */
export class PostingWriter {
  #bytes: Uint8Array;
  #length = 0;

  /** `expected` bytes, so that a large writer need not grow. */
  constructor(expected = 4096) {
    this.#bytes = new Uint8Array(Math.max(4096, expected));
  }

  get length(): number {
    return this.#length;
  }

  /** Appends the postings of one term, `values` being impact and fields as packed by `packValue`. */
  write(documents: Uint32Array, values: Uint16Array, start: number, end: number): void {
    this.#makeRoom(5 + 7 * (end - start));
    this.#number(end - start);
    let before = 0;
    for (let at = start; at < end; at += 1) {
      const document = documents[at] ?? 0;
      const value = values[at] ?? 0;
      const fields = value >>> 8;
      const isBody = fields === fieldRules.body.bit;
      this.#number(((document - before) << 1) | (isBody ? 0 : 1));
      this.#bytes[this.#length++] = value & 0xff;
      if (!isBody) this.#bytes[this.#length++] = fields;
      before = document;
    }
  }

  finish(): Uint8Array {
    const isTight = this.#length > 0.9 * this.#bytes.length;
    return isTight ? this.#bytes.subarray(0, this.#length) : this.#bytes.slice(0, this.#length);
  }

  #number(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  #makeRoom(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

export function packValue(impact: number, fields: number): number {
  return (fields << 8) | impact;
}

/** Reads what `PostingWriter` wrote. Damaged bytes give wrong documents, never an endless loop. */
export class PostingCursor {
  /** How many documents the term has, by its own account. */
  readonly count: number;
  document = 0;
  impact = 0;
  fields = 0;
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.count = this.#number();
  }

  next(): boolean {
    if (this.#at >= this.#end) return false;
    const head = this.#number();
    this.document += head >>> 1;
    this.impact = this.#bytes[this.#at++] ?? 0;
    this.fields = (head & 1) === 0 ? fieldRules.body.bit : (this.#bytes[this.#at++] ?? 0);
    return true;
  }

  #number(): number {
    let byte = this.#bytes[this.#at++] ?? 0;
    let value = byte & 0x7f;
    for (let shift = 7; byte > 0x7f && shift < 35; shift += 7) {
      byte = this.#bytes[this.#at++] ?? 0;
      value |= (byte & 0x7f) << shift;
    }
    return value >>> 0;
  }
}

/** The number of variable length that starts at a position. */
export function readNumber(bytes: Uint8Array, start: number): number {
  let value = 0;
  for (let at = start, shift = 0; shift < 35; at += 1, shift += 7) {
    const byte = bytes[at] ?? 0;
    value |= (byte & 0x7f) << shift;
    if (byte <= 0x7f) break;
  }
  return value >>> 0;
}
