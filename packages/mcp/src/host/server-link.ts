import { setTimeout as sleep } from "node:timers/promises";
import type { LibraryChange } from "@skillhold/core/library";
import type { Clock } from "@skillhold/core/port";
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

/** A list that is being asked for. */
interface Asking {
  readonly done: Promise<void>;
  /** The same, or the end of what a call waits for it. */
  readonly soon: Promise<void>;
}

const NOTHING: Pick<Listing, "skills" | "refused"> = { skills: [], refused: [] };
/** A server that failed is not asked again before this time is over, and then nobody waits for it. */
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
  #problem: SkillError | undefined = refuse("MCP_UNREACHABLE", "The server has not answered yet.");
  #isStale = true;
  #dueAt = 0;
  #work: Asking | undefined;

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

  /** Asks for the list now, and waits for as long as it takes; those who come meanwhile share the answer. */
  async ask(): Promise<void> {
    await this.#asking()?.done;
  }

  /**
   * Asks for the list when it is time to. A server that is slow keeps nobody waiting for long, and one that failed
   * nobody at all: what comes of it is told as a change.
   */
  async refresh(): Promise<void> {
    const isDue = this.#isStale || this.#now() >= this.#dueAt;
    const hasFailed = this.#dueAt > 0 && this.#problem !== undefined;
    const asking = isDue ? this.#asking() : this.#work;
    if (!hasFailed) await asking?.soon;
  }

  #asking(): Asking | undefined {
    if (this.#closing.signal.aborted) return this.#work;
    this.#work ??= this.#start();
    return this.#work;
  }

  #start(): Asking {
    const done = this.#update().finally(() => {
      this.#work = undefined;
    });
    // Whoever does not wait to the end is not told what went wrong.
    done.catch((error: unknown) => this.#ports.onError?.(error));
    const waiting = new AbortController();
    const enough = sleep(this.limits.mcpWaitMs, undefined, { signal: waiting.signal }).catch(() => undefined);
    const soon = Promise.race([done, enough]).finally(() => waiting.abort());
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
    const done = this.#work?.done ?? Promise.resolve();
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
