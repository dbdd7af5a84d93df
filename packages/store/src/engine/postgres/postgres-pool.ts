import { type CancelTimer, systemTimers, type Timers } from "@skillhold/core/port";
import type { PostgresConnection } from "./postgres-connection.ts";

const MAX_CONNECTIONS = 8;
const IDLE_MS = 60_000;

interface Idle {
  readonly connection: PostgresConnection;
  readonly cancelDrop: CancelTimer;
}

/** Connections with exclusive use; lost ones are never used again. */
export class PostgresPool {
  readonly #connect: () => PostgresConnection;
  readonly #timers: Timers;
  readonly #idle: Idle[] = [];
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(connect: () => PostgresConnection, timers: Timers = systemTimers) {
    this.#connect = connect;
    this.#timers = timers;
  }

  /**
   * Takes a connection and runs a repeatable first step. A connection that was lost while idle fails only
   * here, and another one is tried. Where the server allows no more connections, the call waits for one that is in
   * use here. The caller returns it.
   */
  async take<T>(
    first: (connection: PostgresConnection) => Promise<T>,
  ): Promise<{ readonly connection: PostgresConnection; readonly result: T }> {
    for (;;) {
      const connection = await this.#next();
      const isFresh = !connection.hasWorked;
      try {
        return { connection, result: await first(connection) };
      } catch (error) {
        if (isFresh && isServerFull(error) && this.#taken > 1) {
          // No other caller is woken, because it could not connect either.
          this.#taken -= 1;
          this.#drop(connection);
          await this.#turn();
          continue;
        }
        this.release(connection);
        if (isFresh || !connection.isLost) throw error;
      }
    }
  }

  release(connection: PostgresConnection): void {
    this.#taken -= 1;
    if (connection.isLost) this.#drop(connection);
    else {
      const drop = () => this.#dropIdle(connection);
      const cancelDrop = this.#timers.after(IDLE_MS, drop, { isBackground: true });
      this.#idle.push({ connection, cancelDrop });
    }
    this.#waiting.shift()?.();
  }

  /** Waits for connections in use. Contract: no one takes connections any more. */
  async close(): Promise<void> {
    while (this.#taken > 0) await this.#turn();
    await Promise.all(
      this.#idle.splice(0).map(({ connection, cancelDrop }) => {
        cancelDrop();
        return connection.end();
      }),
    );
  }

  async #next(): Promise<PostgresConnection> {
    while (this.#taken >= MAX_CONNECTIONS) await this.#turn();
    const connection = this.#popIdle() ?? this.#connect();
    this.#taken += 1;
    return connection;
  }

  #popIdle(): PostgresConnection | undefined {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      idle.cancelDrop();
      if (!idle.connection.isLost) return idle.connection;
      this.#drop(idle.connection);
    }
    return undefined;
  }

  async #turn(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    await promise;
  }

  #dropIdle(connection: PostgresConnection): void {
    const index = this.#idle.findIndex((idle) => idle.connection === connection);
    if (index >= 0) this.#idle.splice(index, 1);
    this.#drop(connection);
  }

  /** Closing is not awaited and cannot fail. */
  #drop(connection: PostgresConnection): void {
    void connection.end();
  }
}

/** `too_many_connections`: other programs share the server. */
function isServerFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "53300";
}
