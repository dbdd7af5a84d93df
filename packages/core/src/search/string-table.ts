/**
 * Many short strings stored as one string and the end of each, which avoids one object per string and work at load
 * time.
 */
export class StringTable {
  readonly text: string;
  /** One more than there are strings; the first is 0. */
  readonly offsets: Uint32Array;

  constructor(text: string, offsets: Uint32Array) {
    this.text = text;
    this.offsets = offsets;
  }

  static of(strings: readonly string[]): StringTable {
    const offsets = new Uint32Array(strings.length + 1);
    let length = 0;
    for (let at = 0; at < strings.length; at += 1) {
      length += strings[at]?.length ?? 0;
      offsets[at + 1] = length;
    }
    return new StringTable(strings.join(""), offsets);
  }

  get count(): number {
    return this.offsets.length - 1;
  }

  at(index: number): string {
    return this.text.slice(this.offsets[index], this.offsets[index + 1]);
  }

  /** In a sorted table: where a string stands, or would stand, in the order of UTF-16 units. */
  lowerBound(wanted: string): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isBefore(middle, wanted)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  find(wanted: string): number | undefined {
    const index = this.lowerBound(wanted);
    return index < this.count && this.at(index) === wanted ? index : undefined;
  }

  startsWith(index: number, prefix: string): boolean {
    return this.text.startsWith(prefix, this.offsets[index]) && this.#lengthOf(index) >= prefix.length;
  }

  #isBefore(index: number, wanted: string): boolean {
    const start = this.offsets[index] ?? 0;
    const length = this.#lengthOf(index);
    const shared = Math.min(length, wanted.length);
    for (let at = 0; at < shared; at += 1) {
      const difference = this.text.charCodeAt(start + at) - wanted.charCodeAt(at);
      if (difference !== 0) return difference < 0;
    }
    return length < wanted.length;
  }

  #lengthOf(index: number): number {
    return (this.offsets[index + 1] ?? 0) - (this.offsets[index] ?? 0);
  }
}
