/** One spelling of a secret and its number. */
export interface Form {
  readonly bytes: Uint8Array;
  readonly owner: number;
}

/**
 * Finds many forms in one pass (Aho-Corasick automaton). A state is a number; 0 is the start. Each state is the
 * longest suffix of the input that starts a form.
 *
 * The trie is sparse, because secrets may be long and a table of 256 entries per state would not fit.
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

  /** The length of the longest form that ends here; 0 without a match. */
  matched(state: number): number {
    return this.#at(this.#matched, state);
  }

  /** The number of that form. */
  owner(state: number): number {
    return this.#at(this.#owner, state);
  }

  /** The equivalent state without prefixes that cannot start a longer form. */
  settle(state: number): number {
    return this.#at(this.#child, state) === 0 ? this.#at(this.#fallback, state) : state;
  }

  /** The number of last bytes that may start a form. */
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

  /** Breadth first: the fallback state is shallower and already complete. */
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
    // Every index is a valid state or byte.
    return array[index] as number;
  }
}
