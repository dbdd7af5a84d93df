interface Slot<Value> {
  readonly value: Value;
  isUsed: boolean;
}

/** A map with a maximum size that evicts by second chance. A lookup does not move its entry, which keeps it cheap. */
export class BoundedMap<Key, Value> {
  readonly #slots = new Map<Key, Slot<Value>>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  find(key: Key): Value | undefined {
    const slot = this.#slots.get(key);
    if (slot === undefined) return undefined;
    slot.isUsed = true;
    return slot.value;
  }

  set(key: Key, value: Value): void {
    this.#slots.delete(key);
    if (this.#slots.size >= this.#max) this.#evictOne();
    this.#slots.set(key, { value, isUsed: false });
  }

  /** A used entry moves to the end as unused; the first unused one is dropped. */
  #evictOne(): void {
    for (const [key, slot] of this.#slots) {
      this.#slots.delete(key);
      if (!slot.isUsed) return;
      slot.isUsed = false;
      this.#slots.set(key, slot);
    }
  }
}
