import type { Clock } from "@skillhold/core";
import type { LibraryChange } from "@skillhold/core/shelf";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { Connection } from "./connection.ts";
import type { FileCache } from "./file-cache.ts";
import type { Listing } from "./listing.ts";
import type { McpSource } from "./mcp-source.ts";
import { McpView, type ViewMaking } from "./mcp-view.ts";
import { refuse } from "./refusal.ts";
import type { FetchFile } from "./remote-files.ts";

export interface LinkPorts {
  readonly making: ViewMaking;
  readonly clock: Clock;
  readonly cache: FileCache | undefined;
  /** Told of what fails while nobody waits for it. */
  readonly onError: ((error: unknown) => void) | undefined;
  /** Ends what is waited for, from outside. */
  readonly signal: AbortSignal | undefined;
}

const NOTHING: Pick<Listing, "skills" | "refused"> = { skills: [], refused: [] };
/** A server that failed is not asked again before this time is over. */
const RETRY_MS = 15_000;
/** For how long a list counts when the server does not say, and within which bounds it may say. */
const TTL_MS = 60_000;
const LEAST_TTL_MS = 1000;
const MOST_TTL_MS = 300_000;

/**
 * The view of one server's list, kept up to date. It fails nobody: of a server that is down, hangs or answers rubbish
 * the view is empty, and `problem` says why. Nothing that a server listed before it failed is shown after.
 */
export class ServerLink {
  readonly limits: Limits;
  readonly #source: McpSource;
  readonly #ports: LinkPorts;
  readonly #listeners = new Set<(change: LibraryChange) => void>();
  readonly #closing = new AbortController();
  #connection: Connection | undefined;
  #view: McpView;
  #problem: SkillError | undefined;
  #isStale = true;
  #dueAt = 0;
  #work: Promise<void> | undefined;

  constructor(source: McpSource, ports: LinkPorts) {
    this.#source = source;
    this.#ports = ports;
    this.limits = ports.making.limits;
    this.#view = new McpView(NOTHING, ports.making);
  }

  get view(): McpView {
    return this.#view;
  }

  get problem(): SkillError | undefined {
    return this.#problem;
  }

  /** Bound to this server: an address is never asked for elsewhere. */
  readonly fetch: FetchFile = async (uri) => {
    if (this.#connection === undefined)
      throw this.#problem ?? refuse("MCP_UNREACHABLE", "The server is not there.");
    return await this.#connection.read(uri);
  };

  /** Asks for the list when it is time to, or at once; those who come meanwhile share the answer. */
  refresh(atOnce = false): Promise<void> {
    const isDue = atOnce || this.#isStale || this.#now() >= this.#dueAt;
    if (this.#work !== undefined) return this.#work;
    if (this.#closing.signal.aborted || !isDue) return Promise.resolve();
    this.#work = this.#update().finally(() => {
      this.#work = undefined;
    });
    return this.#work;
  }

  onChange(listener: (change: LibraryChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#listeners.clear();
    await this.#work;
    await this.#disconnect();
  }

  async #update(): Promise<void> {
    this.#isStale = false;
    try {
      this.#connection ??= await this.#connect();
      const listing = await this.#connection.list();
      await this.#ports.cache?.retain(listing.skills);
      const ttl = Math.min(Math.max(listing.ttlMs ?? TTL_MS, LEAST_TTL_MS), MOST_TTL_MS);
      this.#dueAt = this.#now() + ttl;
      this.#show(new McpView(listing, this.#ports.making), undefined);
    } catch (error) {
      if (!(error instanceof SkillError)) throw error;
      await this.#disconnect();
      this.#giveUp(error);
    }
  }

  async #connect(): Promise<Connection> {
    const { label, server } = this.#source;
    const outside = this.#ports.signal;
    const signal =
      outside === undefined ? this.#closing.signal : AbortSignal.any([this.#closing.signal, outside]);
    const address = typeof server === "function" ? server() : server;
    return await Connection.open(
      { server: address, label, limits: this.limits, signal },
      { onChanged: () => this.#changed(), onLost: (reason) => this.#lost(reason) },
    );
  }

  async #disconnect(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }

  /** The notice is nobody's question: whoever listens is told, and the next call asks for itself. */
  #changed(): void {
    this.#isStale = true;
    const done = this.#work ?? Promise.resolve();
    done.then(() => this.refresh()).catch((error: unknown) => this.#ports.onError?.(error));
  }

  #lost(reason: string): void {
    this.#connection = undefined;
    this.#giveUp(refuse("MCP_UNREACHABLE", reason));
  }

  #giveUp(problem: SkillError): void {
    this.#dueAt = this.#now() + RETRY_MS;
    this.#isStale = false;
    this.#show(new McpView(NOTHING, this.#ports.making), problem);
  }

  #show(view: McpView, problem: SkillError | undefined): void {
    const before = this.#view;
    this.#view = view;
    this.#problem = problem;
    const change = changeBetween(before, view);
    if (change !== undefined) for (const listener of this.#listeners) this.#tell(listener, change);
  }

  /** A listener that fails keeps neither the others nor the call that came upon the change from going on. */
  #tell(listener: (change: LibraryChange) => void, change: LibraryChange): void {
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
