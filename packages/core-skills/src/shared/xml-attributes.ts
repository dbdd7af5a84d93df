/**
 * The attributes of an element, in order. Most elements have zero to three, and a sheet has hundreds of thousands of
 * elements: a flat list needs a fraction of the memory of a map, and a lookup is as fast.
 */
export class Attributes implements Iterable<readonly [string, string]> {
  /** Alternating names and values; all elements without attributes share one list. */
  #pairs: string[] = NONE;

  constructor(entries: Iterable<readonly [string, string]> = []) {
    for (const [name, value] of entries) this.set(name, value);
  }

  static of(record: Readonly<Record<string, string>>): Attributes {
    const attributes = new Attributes();
    const pairs: string[] = [];
    for (const name in record) pairs.push(name, record[name] ?? "");
    // A list that grew has capacity for twenty entries; a copy has the exact size.
    if (pairs.length > 0) attributes.#pairs = pairs.slice();
    return attributes;
  }

  get(name: string): string | undefined {
    const index = this.#find(name);
    return index === -1 ? undefined : this.#pairs[index + 1];
  }

  has(name: string): boolean {
    return this.#find(name) !== -1;
  }

  set(name: string, value: string): void {
    const index = this.#find(name);
    if (index !== -1) this.#pairs[index + 1] = value;
    else if (this.#pairs === NONE) this.#pairs = [name, value];
    else this.#pairs.push(name, value);
  }

  delete(name: string): void {
    const index = this.#find(name);
    if (index !== -1) this.#pairs.splice(index, 2);
  }

  *[Symbol.iterator](): Generator<readonly [string, string]> {
    const pairs = this.#pairs;
    for (let index = 0; index < pairs.length; index += 2) yield [pairs[index] ?? "", pairs[index + 1] ?? ""];
  }

  #find(name: string): number {
    const pairs = this.#pairs;
    for (let index = 0; index < pairs.length; index += 2) if (pairs[index] === name) return index;
    return -1;
  }
}

const NONE: string[] = [];
