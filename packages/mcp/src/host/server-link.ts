import type { LibraryChange } from "@skillhold/core/library";
import { type Clock, pause, type Timers } from "@skillhold/core/port";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { Connection } from "./connection.ts";
import type { RemoteFileCache } from "./file-cache.ts";
import type { ServerListing } from "./listing.ts";
import type { McpSource } from "./mcp-source.ts";
import { McpView, type ViewOptions } from "./mcp-view.ts";
import { refuse } from "./refusal.ts";
import type { FetchFile } from "./remote-files.ts";

export interface LinkPorts {
  readonly options: ViewOptions;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly cache: RemoteFileCache | undefined;
  /** Called for failures in the background. */
  readonly onError: ((error: unknown) => void) | undefined;
  /** Aborts all requests. */
  readonly signal: AbortSignal | undefined;
}

/** A list request in progress. */
interface ListRequest {
  readonly done: Promise<void>;
  /** Resolves with `done` or after the maximum wait of a call. */
  readonly soon: Promise<void>;
}

const EMPTY: Pick<ServerListing, "skills" | "refused"> = { skills: [], refused: [] };
/** The time before a failed server is retried. Calls do not wait for a retry. */
const RETRY_MS = 15_000;
/** The lifetime of a list without a cache hint, and the bounds of the hint. */
const TTL_MS = 60_000;
const MIN_TTL_MS = 1000;
const MAX_TTL_MS = 300_000;

/**
 * The current view of one server's list. It never throws: for a server that is down, hangs or sends invalid data, the view
 * is empty and `problem` has the reason. Skills of an earlier list are not shown after a failure.
 */
export class ServerLink {
  readonly limits: Limits;
  readonly #source: McpSource;
  readonly #ports: LinkPorts;
  readonly #listeners = new Set<(change: LibraryChange) => void>();
  readonly #closing = new AbortController();
  #connection: Connection | undefined;
  #view: McpView;
  #problem: SkillError | undefined = refuse("MCP_UNREACHABLE", "The server has not answered yet.");
  #isStale = true;
  #dueAt = 0;
  #work: ListRequest | undefined;

  constructor(source: McpSource, ports: LinkPorts) {
    this.#source = source;
    this.#ports = ports;
    this.limits = ports.options.limits;
    this.#view = new McpView(EMPTY, ports.options);
  }

  get view(): McpView {
    return this.#view;
  }

  get problem(): SkillError | undefined {
    return this.#problem;
  }

  /** Fetches from this server only. */
  readonly fetch: FetchFile = async (uri) => {
    if (this.#connection === undefined)
      throw this.#problem ?? refuse("MCP_UNREACHABLE", "The server is not connected.");
    return await this.#connection.read(uri);
  };

  /** Fetches the list now and waits for it; concurrent calls share the request. */
  async fetchList(): Promise<void> {
    await this.#request()?.done;
  }

  /**
   * Fetches the list when it is due. Calls wait only briefly for a slow server and not at all for a failed one; the result
   * is reported as a change.
   */
  async refresh(): Promise<void> {
    const isDue = this.#isStale || this.#now() >= this.#dueAt;
    const hasFailed = this.#dueAt > 0 && this.#problem !== undefined;
    const request = isDue ? this.#request() : this.#work;
    if (!hasFailed) await request?.soon;
  }

  #request(): ListRequest | undefined {
    if (this.#closing.signal.aborted) return this.#work;
    this.#work ??= this.#start();
    return this.#work;
  }

  #start(): ListRequest {
    const done = this.#update().finally(() => {
      this.#work = undefined;
    });
    // Callers that stop waiting do not get the error, so it is reported here.
    done.catch((error: unknown) => this.#ports.onError?.(error));
    const waiting = new AbortController();
    const timeout = pause(this.limits.mcpWaitMs, this.#ports.timers, { signal: waiting.signal });
    const soon = Promise.race([done, timeout]).finally(() => waiting.abort());
    soon.catch(() => undefined);
    return { done, soon };
  }

  onChange(listener: (change: LibraryChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#listeners.clear();
    await this.#work?.done;
    await this.#disconnect();
  }

  async #update(): Promise<void> {
    this.#isStale = false;
    try {
      this.#connection ??= await this.#connect();
      const listing = await this.#connection.list(this.#source.skills);
      await this.#ports.cache?.retain(listing.skills);
      const ttl = Math.min(Math.max(listing.ttlMs ?? TTL_MS, MIN_TTL_MS), MAX_TTL_MS);
      this.#dueAt = this.#now() + ttl;
      this.#show(new McpView(listing, this.#ports.options), undefined);
    } catch (error) {
      if (!(error instanceof SkillError)) throw error;
      await this.#disconnect();
      this.#fail(error);
    }
  }

  async #connect(): Promise<Connection> {
    const { label, server } = this.#source;
    const outside = this.#ports.signal;
    const signal =
      outside === undefined ? this.#closing.signal : AbortSignal.any([this.#closing.signal, outside]);
    const address = typeof server === "function" ? server() : server;
    return await Connection.open(
      { server: address, label, limits: this.limits, signal, timers: this.#ports.timers },
      { onChanged: () => this.#changed(), onLost: (reason) => this.#lost(reason) },
    );
  }

  async #disconnect(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }

  /** Refreshes in the background after a notification. */
  #changed(): void {
    this.#isStale = true;
    const done = this.#work?.done ?? Promise.resolve();
    done.then(() => this.refresh()).catch((error: unknown) => this.#ports.onError?.(error));
  }

  #lost(reason: string): void {
    this.#connection = undefined;
    this.#fail(refuse("MCP_UNREACHABLE", reason));
  }

  #fail(problem: SkillError): void {
    this.#dueAt = this.#now() + RETRY_MS;
    this.#isStale = false;
    this.#show(new McpView(EMPTY, this.#ports.options), problem);
  }

  #show(view: McpView, problem: SkillError | undefined): void {
    const before = this.#view;
    this.#view = view;
    this.#problem = problem;
    const change = changeBetween(before, view);
    if (change !== undefined) for (const listener of this.#listeners) this.#notify(listener, change);
  }

  /** A failing listener affects neither the other listeners nor the call. */
  #notify(listener: (change: LibraryChange) => void, change: LibraryChange): void {
    try {
      listener(change);
    } catch (error) {
      this.#ports.onError?.(error);
    }
  }

  #now(): number {
    return this.#ports.clock.now().getTime();
  }
}

function changeBetween(before: McpView, after: McpView): LibraryChange | undefined {
  const added = after.entries.filter(({ id }) => before.find(id) === undefined);
  const removed = before.entries.filter(({ id }) => after.find(id) === undefined);
  const changed = after.entries.filter(({ id, treeHash, path }) => {
    const last = before.find(id);
    return last !== undefined && (last.treeHash !== treeHash || last.path !== path);
  });
  if (added.length + removed.length + changed.length === 0) return undefined;
  const idsOf = (entries: typeof added) => entries.map(({ id }) => id);
  return { added: idsOf(added), changed: idsOf(changed), removed: idsOf(removed), broken: [] };
}
