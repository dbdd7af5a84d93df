import { type McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { CancelTimer, Timers } from "@skillhold/core/port";
import type { McpConnection } from "./connection.ts";

/** A value that is kept between the requests of one caller and closed when it is idle. */
export interface TableValue {
  /** Whether closing would abort running work. */
  readonly isBusy: boolean;
  /** Whether a client listens for changes. */
  readonly hasListener: boolean;
  close(): Promise<void>;
}

export interface SessionTableOptions {
  /** The time after which an idle session is closed. */
  readonly idleMs: number;
  /** The maximum number of values. */
  readonly most: number;
  /** The maximum number of values per caller. */
  readonly mostOfCaller: number;
  readonly onError: (error: unknown) => void;
  readonly timers: Timers;
}

/** A reserved slot for a value that is being opened. */
export interface ReservedSlot<T> {
  /** Returns false when the caller ended meanwhile; the value is then not stored, and its opener closes it. */
  fill(key: string, value: T): boolean;
  /** Releases the slot if it was not filled. */
  free(): void;
}

interface Row<T> {
  readonly value: T;
  readonly caller: string;
  usedAt: number;
}

/** Values by key, each for one caller. A new value can replace an old one of the same caller, never one of another. */
export class SessionTable<T extends TableValue> {
  readonly #rows = new Map<string, Row<T>>();
  readonly #slots = new Set<{ readonly caller: string; isEnded: boolean }>();
  readonly #options: SessionTableOptions;
  readonly #stopSweeping: CancelTimer;

  constructor(options: SessionTableOptions) {
    this.#options = options;
    this.#stopSweeping = options.timers.every(Math.max(1000, options.idleMs / 4), () => this.#sweep());
  }

  values(): readonly T[] {
    return [...this.#rows.values()].map(({ value }) => value);
  }

  /** Undefined for a missing value and for one of another caller. */
  find(key: string, caller: string): T | undefined {
    const row = this.#rows.get(key);
    if (row === undefined || row.caller !== caller) return undefined;
    row.usedAt = this.#options.timers.now();
    return row.value;
  }

  /** Reserves a slot, closing an idle value of the caller if needed; undefined when the table is full. */
  reserve(caller: string): ReservedSlot<T> | undefined {
    const own = [...this.#rows].filter(([, row]) => row.caller === caller);
    const waiting = [...this.#slots].filter((slot) => slot.caller === caller).length;
    if (own.length + waiting >= this.#options.mostOfCaller) {
      const [oldest] = own.filter(([, { value }]) => !value.isBusy).sort(([, a], [, b]) => compareUse(a, b));
      if (oldest === undefined) return undefined;
      this.#close(oldest[0]);
    }
    if (this.#rows.size + this.#slots.size >= this.#options.most) return undefined;
    const slot = { caller, isEnded: false };
    this.#slots.add(slot);
    return {
      fill: (key, value) => {
        this.#slots.delete(slot);
        if (slot.isEnded) return false;
        this.#rows.set(key, { value, caller, usedAt: this.#options.timers.now() });
        return true;
      },
      free: () => this.#slots.delete(slot),
    };
  }

  /** Removes and closes a value. */
  remove(key: string): void {
    this.#close(key);
  }

  /** Closes all values of matching callers, including those that are being opened. */
  async closeOf(isMatch: (caller: string) => boolean): Promise<void> {
    for (const slot of this.#slots) if (isMatch(slot.caller)) slot.isEnded = true;
    const rows = [...this.#rows].filter(([, { caller }]) => isMatch(caller));
    for (const [key] of rows) this.#rows.delete(key);
    await Promise.all(rows.map(([, { value }]) => value.close()));
  }

  async close(): Promise<void> {
    this.#stopSweeping();
    const rows = [...this.#rows.values()];
    this.#rows.clear();
    await Promise.all(rows.map(({ value }) => value.close()));
  }

  #sweep(): void {
    const before = this.#options.timers.now() - this.#options.idleMs;
    for (const [key, { value, usedAt }] of this.#rows)
      if (!value.isBusy && !value.hasListener && usedAt < before) this.#close(key);
  }

  #close(key: string): void {
    const row = this.#rows.get(key);
    if (row === undefined) return;
    this.#rows.delete(key);
    row.value.close().catch(this.#options.onError);
  }
}

/** Values without a listener first, then the least recently used. */
function compareUse(a: Row<TableValue>, b: Row<TableValue>): number {
  return Number(a.value.hasListener) - Number(b.value.hasListener) || a.usedAt - b.usedAt;
}

/**
 * One connection per caller without a protocol session. All requests of a caller share it, so that the audit log has one
 * session per caller and not one per request.
 */
export class ConnectionPool<Who extends object> {
  readonly #table: SessionTable<PooledConnection>;
  readonly #open: (who: Who) => Promise<McpConnection>;
  readonly #idOf: (who: Who) => string;

  constructor(
    open: (who: Who) => Promise<McpConnection>,
    idOf: (who: Who) => string,
    options: SessionTableOptions,
  ) {
    this.#open = open;
    this.#idOf = idOf;
    this.#table = new SessionTable(options);
  }

  /** Undefined when the table is full. */
  async find(who: Who): Promise<McpConnection | undefined> {
    const id = this.#idOf(who);
    const cached = this.#table.find(id, id);
    if (cached !== undefined) return await cached.connection;
    const slot = this.#table.reserve(id);
    if (slot === undefined) return undefined;
    const opening = new PooledConnection(this.#open(who));
    // Stored before it is open, so that concurrent requests share it.
    slot.fill(id, opening);
    try {
      return await opening.connection;
    } catch (error) {
      this.#table.remove(id);
      throw error;
    }
  }

  /** The open connections. */
  values(): readonly McpConnection[] {
    return this.#table.values().flatMap(({ opened }) => (opened === undefined ? [] : [opened]));
  }

  async closeOf(isMatch: (id: string) => boolean): Promise<void> {
    await this.#table.closeOf(isMatch);
  }

  async close(): Promise<void> {
    await this.#table.close();
  }
}

/** A connection that may not be open yet. */
class PooledConnection implements TableValue {
  readonly connection: Promise<McpConnection>;
  opened: McpConnection | undefined;

  constructor(connection: Promise<McpConnection>) {
    this.connection = connection;
    // Callers that await the connection get the error.
    connection.then(
      (opened) => {
        this.opened = opened;
      },
      () => {},
    );
  }

  /** Changes go to subscriptions, never to a pooled connection. */
  readonly hasListener = false;

  get isBusy(): boolean {
    return this.opened?.isBusy ?? true;
  }

  /** A connection that is still opening is closed afterwards. */
  async close(): Promise<void> {
    const opened = await this.connection.catch(() => undefined);
    await opened?.close();
  }
}

/** An HTTP session of an older protocol revision, whose server lives across requests. */
export class LegacySession implements TableValue {
  readonly connection: McpConnection;
  readonly mcp: McpServer;
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  #streams = 0;

  private constructor(
    connection: McpConnection,
    mcp: McpServer,
    transport: WebStandardStreamableHTTPServerTransport,
  ) {
    this.connection = connection;
    this.mcp = mcp;
    this.#transport = transport;
  }

  static async open(
    id: string,
    connection: McpConnection,
    mcp: McpServer,
    onClosed: () => void,
  ): Promise<LegacySession> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: onClosed,
    });
    await mcp.connect(transport);
    return new LegacySession(connection, mcp, transport);
  }

  get isBusy(): boolean {
    return this.connection.isBusy;
  }

  get hasListener(): boolean {
    return this.#streams > 0;
  }

  /** Whether the client completed `initialize`. */
  get isInitialized(): boolean {
    return this.#transport.sessionId !== undefined;
  }

  async handle(request: Request, body: unknown): Promise<Response> {
    const response = await this.#transport.handleRequest(
      request,
      body === undefined ? {} : { parsedBody: body },
    );
    if (request.method === "GET" && response.ok) this.#watch(request.signal);
    return response;
  }

  /** Ends the change stream. */
  endStream(): void {
    this.#transport.closeStandaloneSSEStream();
  }

  async close(): Promise<void> {
    await this.mcp.close();
    await this.connection.close();
  }

  #watch(signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#streams += 1;
    const release = () => {
      this.#streams -= 1;
    };
    signal.addEventListener("abort", release, { once: true });
  }
}
