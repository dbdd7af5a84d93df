/** A set of text ranges, in any order and possibly overlapping, with a fast test for positions. */
export class Ranges {
  readonly #added: (readonly [start: number, end: number])[] = [];
  #union: readonly (readonly [start: number, end: number])[] | undefined;

  add(start: number, end: number): void {
    this.#added.push([start, end]);
    this.#union = undefined;
  }

  has(position: number): boolean {
    this.#union ??= unite(this.#added);
    let low = 0;
    let high = this.#union.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#union[middle]?.[0] ?? Number.POSITIVE_INFINITY) <= position) low = middle + 1;
      else high = middle;
    }
    return position < (this.#union[low - 1]?.[1] ?? Number.NEGATIVE_INFINITY);
  }
}

function unite(ranges: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  const united: [number, number][] = [];
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = united.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else united.push([start, end]);
  }
  return united;
}
