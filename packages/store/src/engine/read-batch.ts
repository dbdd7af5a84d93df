/** Keys of one query. */
const MOST_KEYS = 100;

interface Waiting<V> {
  readonly keys: Set<string>;
  readonly found: Promise<ReadonlyMap<string, V>>;
}

export interface BatchedReads<K extends string, V, Alone> {
  one(key: K): Promise<Alone>;
  /** May leave out keys, which are then read one at a time. */
  many(keys: readonly K[]): Promise<ReadonlyMap<K, V>>;
}

/**
 * Joins the reads that start in one turn of the event loop to one query, because every query is a round trip to the server.
 * A failed query is repeated for each key, so that a damaged row fails only its own reads.
 */
export class ReadBatch<K extends string, V, Alone = V | undefined> {
  readonly #reads: BatchedReads<K, V, Alone>;
  #waiting: Waiting<V> | undefined;

  constructor(reads: BatchedReads<K, V, Alone>) {
    this.#reads = reads;
  }

  async get(key: K): Promise<V | Alone> {
    const waiting = this.#waiting ?? this.#open();
    waiting.keys.add(key);
    if (waiting.keys.size === MOST_KEYS) this.#waiting = undefined;
    const found = await waiting.found;
    return found.get(key) ?? (await this.#reads.one(key));
  }

  #open(): Waiting<V> {
    const keys = new Set<K>();
    const turn = Promise.withResolvers<void>();
    const waiting = { keys, found: turn.promise.then(() => this.#read(keys)) };
    this.#waiting = waiting;
    process.nextTick(() => {
      if (this.#waiting === waiting) this.#waiting = undefined;
      turn.resolve();
    });
    return waiting;
  }

  async #read(keys: ReadonlySet<K>): Promise<ReadonlyMap<string, V>> {
    if (keys.size === 1) return new Map();
    return await this.#reads.many([...keys]).catch(() => new Map<string, V>());
  }
}
