/** Something that is kept between requests for one caller, and closed when it is not used. */
export interface Kept {
  /** Whether something is under way that closing would break off. */
  readonly isBusy: boolean;
  /** Whether someone listens, although nothing may be said for long. */
  readonly isAttended: boolean;
  close(): Promise<void>;
}

export interface TableOptions {
  /** How long one is kept that nobody uses. */
  readonly idleMs: number;
  /** How many are kept for all callers together, and for one. */
  readonly most: number;
  readonly mostOfCaller: number;
  readonly onError: (error: unknown) => void;
}

/** A place that is kept while something is opened for it. */
export interface Place<T> {
  /** False where its caller was ended meanwhile: the value is not kept, and is for who made it to close. */
  fill(key: string, value: T): boolean;
  /** Gives it up, if it was not filled. */
  free(): void;
}

interface Row<T> {
  readonly value: T;
  readonly caller: string;
  usedAt: number;
}

/**
 * What is kept between requests, by a key and for its caller alone. One caller's new ones push out its own old ones,
 * and never another's.
 */
export class SessionTable<T extends Kept> {
  readonly #rows = new Map<string, Row<T>>();
  readonly #places = new Set<{ readonly caller: string; isEnded: boolean }>();
  readonly #options: TableOptions;
  readonly #clock: NodeJS.Timeout;

  constructor(options: TableOptions) {
    this.#options = options;
    this.#clock = setInterval(() => this.#sweep(), Math.max(1000, options.idleMs / 4)).unref();
  }

  values(): readonly T[] {
    return [...this.#rows.values()].map(({ value }) => value);
  }

  /** Undefined for what is not there, or not this caller's. */
  find(key: string, caller: string): T | undefined {
    const row = this.#rows.get(key);
    if (row === undefined || row.caller !== caller) return undefined;
    row.usedAt = performance.now();
    return row.value;
  }

  /** Keeps a place for another one of this caller's, made where it can be made; undefined when there is none. */
  reserve(caller: string): Place<T> | undefined {
    const own = [...this.#rows].filter(([, row]) => row.caller === caller);
    const waiting = [...this.#places].filter((place) => place.caller === caller).length;
    if (own.length + waiting >= this.#options.mostOfCaller) {
      const [oldest] = own.filter(([, { value }]) => !value.isBusy).sort(([, a], [, b]) => compareUse(a, b));
      if (oldest === undefined) return undefined;
      this.#close(oldest[0]);
    }
    if (this.#rows.size + this.#places.size >= this.#options.most) return undefined;
    const place = { caller, isEnded: false };
    this.#places.add(place);
    return {
      fill: (key, value) => {
        this.#places.delete(place);
        if (place.isEnded) return false;
        this.#rows.set(key, { value, caller, usedAt: performance.now() });
        return true;
      },
      free: () => this.#places.delete(place),
    };
  }

  /** Takes it out and closes it. */
  remove(key: string): void {
    this.#close(key);
  }

  /** Closes all of some callers, those included that are being opened. */
  async closeOf(isMeant: (caller: string) => boolean): Promise<void> {
    for (const place of this.#places) if (isMeant(place.caller)) place.isEnded = true;
    const rows = [...this.#rows].filter(([, { caller }]) => isMeant(caller));
    for (const [key] of rows) this.#rows.delete(key);
    await Promise.all(rows.map(([, { value }]) => value.close()));
  }

  async close(): Promise<void> {
    clearInterval(this.#clock);
    const rows = [...this.#rows.values()];
    this.#rows.clear();
    await Promise.all(rows.map(({ value }) => value.close()));
  }

  #sweep(): void {
    const before = performance.now() - this.#options.idleMs;
    for (const [key, { value, usedAt }] of this.#rows)
      if (!value.isBusy && !value.isAttended && usedAt < before) this.#close(key);
  }

  #close(key: string): void {
    const row = this.#rows.get(key);
    if (row === undefined) return;
    this.#rows.delete(key);
    row.value.close().catch(this.#options.onError);
  }
}

/** Those to whom nobody listens first, then those that were used least lately. */
function compareUse(a: Row<Kept>, b: Row<Kept>): number {
  return Number(a.value.isAttended) - Number(b.value.isAttended) || a.usedAt - b.usedAt;
}
