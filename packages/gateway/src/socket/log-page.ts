import type { RegistryStore, StoredEvent } from "@skillhold/registry/record";

const PAGE_SIZE = 500;
/** Limits concurrent reads, so that clients that catch up do not block the store. */
const MAX_READS = 4;

/** Pages of the log for subscriptions that catch up. Concurrent reads of one page are shared. */
export class LogPages {
  readonly #store: Pick<RegistryStore, "eventsAfter">;
  readonly #reading = new Map<number, Promise<readonly StoredEvent[]>>();
  readonly #waiting: (() => void)[] = [];
  #free = MAX_READS;

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
      return await this.#store.eventsAfter(after, PAGE_SIZE);
    } finally {
      // The slot goes to the next waiter or becomes free.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
