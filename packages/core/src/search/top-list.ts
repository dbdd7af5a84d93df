/** The best of many, by an order in which no two are equal. A heap with the least of them on top. */
export class TopList<T> {
  readonly #most: number;
  readonly #isBetter: (a: T, b: T) => boolean;
  readonly #heap: T[] = [];

  constructor(most: number, isBetter: (a: T, b: T) => boolean) {
    this.#most = most;
    this.#isBetter = isBetter;
  }

  /** What the next one has to be better than; undefined while there is room. */
  get least(): T | undefined {
    return this.#heap.length < this.#most ? undefined : this.#heap[0];
  }

  add(value: T): void {
    if (this.#heap.length < this.#most) {
      this.#heap.push(value);
      this.#rise(this.#heap.length - 1);
      return;
    }
    const least = this.#heap[0];
    if (least === undefined || !this.#isBetter(value, least)) return;
    this.#heap[0] = value;
    this.#sink();
  }

  /** In no order. */
  values(): readonly T[] {
    return this.#heap;
  }

  #rise(start: number): void {
    let at = start;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfBetter(parent, at)) return;
      at = parent;
    }
  }

  #sink(): void {
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      const child = right < this.#heap.length && this.#isLess(right, left) ? right : left;
      if (child >= this.#heap.length || !this.#swapIfBetter(at, child)) return;
      at = child;
    }
  }

  #isLess(first: number, second: number): boolean {
    const [a, b] = [this.#heap[first], this.#heap[second]];
    return a !== undefined && b !== undefined && this.#isBetter(b, a);
  }

  /** The upper one has to be the lesser. */
  #swapIfBetter(upper: number, lower: number): boolean {
    if (!this.#isLess(lower, upper)) return false;
    const [a, b] = [this.#heap[upper], this.#heap[lower]];
    if (a === undefined || b === undefined) return false;
    this.#heap[upper] = b;
    this.#heap[lower] = a;
    return true;
  }
}
