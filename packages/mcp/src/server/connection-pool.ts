import type { McpConnection } from "./connection.ts";
import { type Kept, SessionTable, type TableOptions } from "./session-table.ts";

/**
 * The connections of callers whose requests belong to no session: one for each, shared by all its requests, so that
 * what it does is one session on record and not one a request.
 */
export class ConnectionPool<Who extends object> {
  readonly #table: SessionTable<Opening>;
  readonly #open: (who: Who) => Promise<McpConnection>;
  readonly #idOf: (who: Who) => string;

  constructor(open: (who: Who) => Promise<McpConnection>, idOf: (who: Who) => string, options: TableOptions) {
    this.#open = open;
    this.#idOf = idOf;
    this.#table = new SessionTable(options);
  }

  /** Undefined where there is no room. */
  async find(who: Who): Promise<McpConnection | undefined> {
    const id = this.#idOf(who);
    const known = this.#table.find(id, id);
    if (known !== undefined) return await known.connection;
    const place = this.#table.reserve(id);
    if (place === undefined) return undefined;
    const opening = new Opening(this.#open(who));
    // Put there before it is open, so that requests that come together share it.
    place.fill(id, opening);
    try {
      return await opening.connection;
    } catch (error) {
      this.#table.remove(id);
      throw error;
    }
  }

  /** Those that are open. */
  values(): readonly McpConnection[] {
    return this.#table.values().flatMap(({ opened }) => (opened === undefined ? [] : [opened]));
  }

  async closeOf(isMeant: (id: string) => boolean): Promise<void> {
    await this.#table.closeOf(isMeant);
  }

  async close(): Promise<void> {
    await this.#table.close();
  }
}

/** A connection that may not be open yet. */
class Opening implements Kept {
  readonly connection: Promise<McpConnection>;
  opened: McpConnection | undefined;

  constructor(connection: Promise<McpConnection>) {
    this.connection = connection;
    // A failure is told to those who wait for it.
    connection.then(
      (opened) => {
        this.opened = opened;
      },
      () => {},
    );
  }

  /** Nobody listens on it: what is said of changes goes to those who subscribe. */
  readonly isAttended = false;

  get isBusy(): boolean {
    return this.opened?.isBusy ?? true;
  }

  /** One that is being opened is closed when it is. */
  async close(): Promise<void> {
    const opened = await this.connection.catch(() => undefined);
    await opened?.close();
  }
}
