interface Slot<Value> {
  readonly value: Value;
  isUsed: boolean;
}

/**
 * Values by key; of more than there is room for, one goes that was not used since all others were last gone through. To
 * find one moves none: it would cost more than all else here.
 */
export class BoundedMap<Key, Value> {
  readonly #slots = new Map<Key, Slot<Value>>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  find(key: Key): Value | undefined {
    const slot = this.#slots.get(key);
    if (slot === undefined) return undefined;
    slot.isUsed = true;
    return slot.value;
  }

  set(key: Key, value: Value): void {
    this.#slots.delete(key);
    if (this.#slots.size >= this.#most) this.#dropOne();
    this.#slots.set(key, { value, isUsed: false });
  }

  /** One that was used goes to the end, where it is come upon again as one that was not. */
  #dropOne(): void {
    for (const [key, slot] of this.#slots) {
      this.#slots.delete(key);
      if (!slot.isUsed) return;
      slot.isUsed = false;
      this.#slots.set(key, slot);
    }
  }
}
