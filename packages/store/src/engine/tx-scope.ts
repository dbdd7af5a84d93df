import { AsyncLocalStorage } from "node:async_hooks";
import type { RowParser, Tx } from "./db.ts";
import { checkRow, type RowTable, type Sql, type SqlRow } from "./sql.ts";

const inside = new AsyncLocalStorage<true>();

/** The statements of an engine. `insert` resolves when the rows are inserted. */
export interface RawTx extends Omit<Tx, "send" | "insert"> {
  insert(table: RowTable, rows: readonly SqlRow[]): Promise<void>;
}

/**
 * A transaction with the same rules for both engines: one failed statement fails all of it, even if the work
 * catches the error, and calls after its end fail.
 */
export class TxScope implements Tx {
  readonly #raw: RawTx;
  readonly #sent: Promise<unknown>[] = [];
  #failure: { readonly error: unknown } | undefined;
  #hasEnded = false;
  #pending = 0;
  #hasWritten = false;

  constructor(raw: RawTx) {
    this.#raw = raw;
  }

  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  all<Row>(query: Sql, row: RowParser<Row>): Promise<readonly Row[]> {
    return this.#attempt(() => this.#raw.all(query, row));
  }

  run(query: Sql): Promise<number> {
    this.#hasWritten = true;
    return this.#attempt(() => this.#raw.run(query));
  }

  send(query: Sql): void {
    this.#send(() => this.#raw.run(query));
  }

  insert(table: RowTable, rows: readonly SqlRow[]): void {
    this.#send(() => {
      for (const row of rows) checkRow(row);
      return this.#raw.insert(table, rows);
    });
  }

  script(text: string): Promise<void> {
    this.#hasWritten = true;
    return this.#attempt(() => this.#raw.script(text));
  }

  lock(name: string, use?: "alone" | "shared"): Promise<void> {
    return this.#attempt(() => this.#raw.lock(name, use));
  }

  /** Runs the work. When this and `settled` resolve, the transaction may be committed. */
  async perform<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      const result = await inside.run(true, () => work(this));
      this.rejectFailed();
      if (this.#pending > 0) throw new Error("A transaction ended before all its statements were awaited.");
      return result;
    } catch (error) {
      // A later statement may fail because of an earlier one that no code awaited.
      await Promise.allSettled(this.#sent);
      throw this.#failure?.error ?? error;
    } finally {
      this.#hasEnded = true;
    }
  }

  /** Throws if a statement is known to have failed. */
  rejectFailed(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Throws if a statement failed that no code awaited. */
  async settled(): Promise<void> {
    await Promise.all(this.#sent);
  }

  #send(statement: () => Promise<unknown>): void {
    this.#hasWritten = true;
    const sent = this.#attempt(statement, 0);
    // `settled` reports the failure.
    sent.catch(() => {});
    this.#sent.push(sent);
  }

  async #attempt<T>(statement: () => Promise<T>, awaited = 1): Promise<T> {
    if (this.#hasEnded) throw new Error("A transaction was used after its end.");
    this.rejectFailed();
    this.#pending += awaited;
    try {
      return await statement();
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    } finally {
      this.#pending -= awaited;
    }
  }
}

/** With a single writer, a nested transaction would deadlock. */
export function rejectNested(): void {
  if (inside.getStore() !== undefined) throw new Error("A transaction was started inside another one.");
}
