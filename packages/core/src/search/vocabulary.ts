import { LONGEST_TERM, termOf } from "./analyzer.ts";
import { textOfUnits } from "./unit.ts";
import { lowerUnit } from "./word.ts";

/** The number of a word that is no term. */
export const NO_TERM = -1;

/** Units of a record before its letters: the number of its term plus one, in two halves, and its length. */
const RECORD_HEAD = 3;

/**
 * Numbers the terms of a growing index. A word is looked up by its letters where they stand, so that only the
 * first sight of a word makes a string, and only then stop words and plurals are looked at. What one look needs
 * stands together, because at this size the memory is what takes time.
 */
export class Vocabulary {
  /** By number. */
  readonly terms: string[] = [];
  readonly #numbers = new Map<string, number>();
  /** Open addressing in pairs: the hash of a word, and where its record begins; 0 there for a free slot. */
  #slots = new Uint32Array(2 * 1024);
  #wordCount = 0;
  /** The records of all words, one after another. The first unit is left free. */
  #records = new Uint16Array(8192);
  #recordEnd = 1;

  /** The term of a word as `eachWord` gives it, or `NO_TERM`. */
  numberOfWord(units: Uint16Array, start: number, end: number, hash: number): number {
    const length = end - start;
    if (length > LONGEST_TERM) return NO_TERM;
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = (2 * hash) & mask;
    for (;;) {
      const record = slots[slot + 1] ?? 0;
      if (record === 0) return this.#addWord(textOfUnits(units, start, end).toLowerCase(), hash, slot);
      if (slots[slot] === hash && this.#hasLetters(record, units, start, length)) return this.#termOf(record);
      slot = (slot + 2) & mask;
    }
  }

  /** The number of a term that is one already. */
  numberOfTerm(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    this.#numbers.set(term, this.terms.length);
    return this.terms.push(term) - 1;
  }

  #termOf(record: number): number {
    return (this.#records[record] ?? 0) + 0x10000 * (this.#records[record + 1] ?? 0) - 1;
  }

  #hasLetters(record: number, units: Uint16Array, start: number, length: number): boolean {
    const records = this.#records;
    if (records[record + 2] !== length) return false;
    for (let at = 0; at < length; at += 1) {
      if (records[record + RECORD_HEAD + at] !== lowerUnit(units[start + at] ?? 0)) return false;
    }
    return true;
  }

  #addWord(word: string, hash: number, slot: number): number {
    const term = termOf(word);
    const number = term === undefined ? NO_TERM : this.numberOfTerm(term);
    const record = this.#recordEnd;
    const end = record + RECORD_HEAD + word.length;
    if (end > this.#records.length) this.#records = grown(this.#records, Uint16Array);
    this.#records[record] = (number + 1) & 0xffff;
    this.#records[record + 1] = (number + 1) >>> 16;
    this.#records[record + 2] = word.length;
    for (let at = 0; at < word.length; at += 1)
      this.#records[record + RECORD_HEAD + at] = word.charCodeAt(at);
    this.#recordEnd = end;
    this.#slots[slot] = hash;
    this.#slots[slot + 1] = record;
    this.#wordCount += 1;
    if (this.#wordCount * 4 > this.#slots.length) this.#rehash();
    return number;
  }

  #rehash(): void {
    const old = this.#slots;
    const slots = new Uint32Array(old.length * 2);
    const mask = slots.length - 1;
    for (let from = 0; from < old.length; from += 2) {
      const [hash = 0, record = 0] = [old[from], old[from + 1]];
      if (record === 0) continue;
      let slot = (2 * hash) & mask;
      while (slots[slot + 1] !== 0) slot = (slot + 2) & mask;
      slots[slot] = hash;
      slots[slot + 1] = record;
    }
    this.#slots = slots;
  }
}

interface Growable {
  readonly length: number;
  set(source: ArrayLike<number>): void;
}

/** A copy of twice the length. */
export function grown<T extends Growable & ArrayLike<number>>(array: T, kind: new (length: number) => T): T {
  const larger = new kind(array.length * 2);
  larger.set(array);
  return larger;
}
