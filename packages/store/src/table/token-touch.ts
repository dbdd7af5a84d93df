import type { Db } from "../engine/db.ts";
import { touchTokens } from "./token-table.ts";

/**
 * Writes down when tokens were last used, apart from those who use them. There is one write at a time, and the next has
 * all that came meanwhile. One that fails is forgotten: the next use of the token is as good.
 */
export class TokenTouches {
  readonly #db: Db;
  #waiting = new Map<string, string>();
  #writing: Promise<void> | undefined;

  constructor(db: Db) {
    this.#db = db;
  }

  add(uses: ReadonlyMap<string, string>): void {
    for (const [id, at] of uses) this.#waiting.set(id, at);
    this.#writing ??= this.#writeAll();
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.size > 0) {
      const uses = this.#waiting;
      this.#waiting = new Map();
      await this.#db.transaction((tx) => touchTokens(tx, uses)).catch(() => {});
    }
    // In the same turn as the last look at what waits, or the next one would wait for ever.
    this.#writing = undefined;
  }
}
