/** One way of writing something, and the number by which it is known. */
export interface Form {
  readonly bytes: Uint8Array;
  readonly owner: number;
}

/**
 * Finds many forms at once in one pass, whatever they are and whatever is read (Aho and Corasick's automaton). A state
 * is a number; 0 is the start. Each state stands for the longest end of what was read that begins a form.
 *
 * The trie is sparse, a byte and six numbers a state: secrets may be long, and a table of 256 would not fit.
 */
export class FormMatcher {
  readonly #byte: Uint8Array;
  readonly #child: Int32Array;
  readonly #sibling: Int32Array;
  readonly #fallback: Int32Array;
  readonly #depth: Int32Array;
  readonly #matched: Int32Array;
  readonly #owner: Int32Array;
  readonly #first = new Int32Array(256);
  #size = 1;

  constructor(forms: readonly Form[]) {
    const states = forms.reduce((sum, { bytes }) => sum + bytes.length, 1);
    this.#byte = new Uint8Array(states);
    this.#child = new Int32Array(states);
    this.#sibling = new Int32Array(states);
    this.#fallback = new Int32Array(states);
    this.#depth = new Int32Array(states);
    this.#matched = new Int32Array(states);
    this.#owner = new Int32Array(states);
    for (const form of forms) this.#add(form);
    this.#link();
  }

  /** The state after one more byte. */
  next(state: number, byte: number): number {
    let from = state;
    while (from !== 0) {
      const to = this.#childOf(from, byte);
      if (to !== 0) return to;
      from = this.#at(this.#fallback, from);
    }
    return this.#at(this.#first, byte);
  }

  /** How long the longest form is that ends here; 0 when none does. */
  matched(state: number): number {
    return this.#at(this.#matched, state);
  }

  /** Whose form that is. */
  owner(state: number): number {
    return this.#at(this.#owner, state);
  }

  /** The same for all that follows, but without what can begin no longer form. */
  settle(state: number): number {
    return this.#at(this.#child, state) === 0 ? this.#at(this.#fallback, state) : state;
  }

  /** How many of the last bytes may be the beginning of a form. */
  depth(state: number): number {
    return this.#at(this.#depth, state);
  }

  #add({ bytes, owner }: Form): void {
    let state = 0;
    for (const byte of bytes) {
      const next = state === 0 ? this.#at(this.#first, byte) : this.#childOf(state, byte);
      state = next === 0 ? this.#grow(state, byte) : next;
    }
    if (this.#matched[state] !== 0) return;
    this.#matched[state] = bytes.length;
    this.#owner[state] = owner;
  }

  #grow(parent: number, byte: number): number {
    const state = this.#size;
    this.#size += 1;
    this.#byte[state] = byte;
    this.#depth[state] = this.depth(parent) + 1;
    this.#sibling[state] = this.#at(this.#child, parent);
    this.#child[parent] = state;
    if (parent === 0) this.#first[byte] = state;
    return state;
  }

  /** Breadth first: a state falls back to a shallower one, which is complete by then. */
  #link(): void {
    const queue = new Int32Array(this.#size);
    let length = 1;
    for (let index = 0; index < length; index += 1) {
      const parent = this.#at(queue, index);
      for (let state = this.#at(this.#child, parent); state !== 0; state = this.#at(this.#sibling, state)) {
        if (parent !== 0) this.#fallBack(state, parent);
        queue[length] = state;
        length += 1;
      }
    }
  }

  #fallBack(state: number, parent: number): void {
    const fallback = this.next(this.#at(this.#fallback, parent), this.#at(this.#byte, state));
    this.#fallback[state] = fallback;
    if (this.#matched[state] !== 0) return;
    this.#matched[state] = this.matched(fallback);
    this.#owner[state] = this.owner(fallback);
  }

  #childOf(parent: number, byte: number): number {
    let state = this.#at(this.#child, parent);
    while (state !== 0 && this.#byte[state] !== byte) state = this.#at(this.#sibling, state);
    return state;
  }

  #at(array: Int32Array | Uint8Array, index: number): number {
    // Every index is a state or a byte, for which there is a place.
    return array[index] as number;
  }
}
