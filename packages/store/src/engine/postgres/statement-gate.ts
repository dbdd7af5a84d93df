/** Below the buffer size at which a socket asks to wait. */
const MAX_BYTES = 32_000;
/** Below the number of unanswered statements at which the driver waits. */
const MAX_RUNNING = 50;

export interface StatementNeeds {
  /** At least the size of the message. */
  readonly bytes: number;
  /**
   * The text that the server has to describe before the driver sends the values, if it did not before; empty if it does
   * each time.
   */
  readonly described?: string | undefined;
}

interface Waiting {
  readonly needs: StatementNeeds;
  readonly start: () => void;
}

/**
 * Passes statements on as long as the driver sends them at once. Otherwise the driver queues them: if one is then
 * rejected or the connection is lost, it still sends the others, also the commit, and also over a new connection.
 */
export class StatementGate {
  readonly #known = new Set<string>();
  readonly #waiting: Waiting[] = [];
  #isAlone = false;
  #running = 0;
  #bytes = 0;

  async pass<T>(needs: StatementNeeds, statement: () => Promise<T>): Promise<T> {
    if (this.#waiting.length > 0 || !this.#isOpen(needs)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push({ needs, start: resolve });
      await promise;
    } else this.#enter(needs);
    try {
      const result = await statement();
      this.#leave(needs, true);
      return result;
    } catch (error) {
      this.#leave(needs, false);
      throw error;
    }
  }

  #isOpen({ bytes }: StatementNeeds): boolean {
    if (this.#running === 0) return true;
    return !this.#isAlone && this.#running < MAX_RUNNING && this.#bytes + bytes <= MAX_BYTES;
  }

  #enter({ bytes, described }: StatementNeeds): void {
    this.#running += 1;
    this.#bytes += bytes;
    this.#isAlone = bytes > MAX_BYTES || (described !== undefined && !this.#known.has(described));
  }

  #leave({ bytes, described }: StatementNeeds, hasWorked: boolean): void {
    this.#running -= 1;
    this.#bytes -= bytes;
    if (this.#running === 0) this.#isAlone = false;
    // The driver forgets a statement that failed.
    if (!hasWorked) this.#known.delete(described ?? "");
    else if (described) this.#known.add(described);
    this.#startNext();
  }

  #startNext(): void {
    for (
      let next = this.#waiting[0];
      next !== undefined && this.#isOpen(next.needs);
      next = this.#waiting[0]
    ) {
      this.#waiting.shift();
      this.#enter(next.needs);
      next.start();
    }
  }
}
