import type { RegistryStore, StoredEvent } from "@skillhold/registry/record";

const PAGE = 500;
/** How many pages are read at a time: those who catch up leave the store to others as well. */
const AT_ONCE = 4;

/** The log for those who are behind. Who wants the same page at the same time shares it. */
export class LogPages {
  readonly #store: Pick<RegistryStore, "eventsAfter">;
  readonly #reading = new Map<number, Promise<readonly StoredEvent[]>>();
  readonly #waiting: (() => void)[] = [];
  #free = AT_ONCE;

  constructor(store: Pick<RegistryStore, "eventsAfter">) {
    this.#store = store;
  }

  read(after: number): Promise<readonly StoredEvent[]> {
    const known = this.#reading.get(after);
    if (known !== undefined) return known;
    const page = this.#read(after).finally(() => this.#reading.delete(after));
    this.#reading.set(after, page);
    return page;
  }

  async #read(after: number): Promise<readonly StoredEvent[]> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free -= 1;
    try {
      return await this.#store.eventsAfter(after, PAGE);
    } finally {
      // The place is handed on, or given back.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
