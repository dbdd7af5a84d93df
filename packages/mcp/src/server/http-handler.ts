import { randomBytes, randomUUID } from "node:crypto";
import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  type McpHttpHandler,
  readRequestBody,
} from "@modelcontextprotocol/server";
import type { Library, LibraryChange, Viewer } from "@skillhold/core/library";
import { systemTimers, type Timers } from "@skillhold/core/port";
import type { FilePublisher, SkillProposer } from "@skillhold/core/session";
import { CallerWork } from "./caller-work.ts";
import { instructionsFor } from "./catalogue.ts";
import { McpConnection } from "./connection.ts";
import { refusals, refuseFailure } from "./http-refusal.ts";
import { notifyListsChanged, onSettledChange } from "./list-change.ts";
import { mcpServer } from "./mcp-server.ts";
import type { McpSkills } from "./port.ts";
import { ServedSkills } from "./served-skill.ts";
import { ConnectionPool, LegacySession, SessionTable } from "./session-table.ts";

/** The authenticated sender of a request. */
export interface Caller {
  readonly viewer: Viewer;
  /** Identifies the caller, for example by token id. A session exists only for its caller. */
  readonly key: string;
  /** Whether the caller's sessions may run scripts. Contract: it is the same for one key. */
  readonly canRun?: boolean;
  /** Publishes for the caller; without it, its sessions cannot publish. Contract: it is the same for one key. */
  readonly publisher?: FilePublisher | undefined;
  /** Stores proposals of the caller; without it, its sessions cannot propose. Contract: as for `publisher`. */
  readonly proposer?: SkillProposer | undefined;
  /** Counts the further messages of a batch toward the rate limit; throws RATE_LIMITED. */
  readonly take?: (more: number) => void;
}

export interface McpHandlerOptions {
  /** Opens the skills of a caller. Contract: they come from `library`. */
  readonly open: (who: Caller) => McpSkills | Promise<McpSkills>;
  /** Reports changes of the lists. */
  readonly library: Pick<Library, "onChange">;
  readonly idleMs?: number;
  readonly maxSessions?: number;
  readonly maxSessionsOfCaller?: number;
  readonly maxRequestBytes?: number;
  readonly maxCallsOfCaller?: number;
  readonly maxStreamsOfCaller?: number;
  readonly onError?: (error: unknown) => void;
  /** Default: the timers of the machine. */
  readonly timers?: Timers;
}

const IDLE_MS = 30 * 60_000;
const MAX_SESSIONS = 1024;
const MAX_SESSIONS_OF_CALLER = 64;
const MAX_CALLS_OF_CALLER = 64;
const MAX_STREAMS_OF_CALLER = 32;
const MAX_REQUEST_BYTES = 4 * 1024 * 1024;

/**
 * MCP over HTTP on one path, for all protocol revisions. Older clients have sessions and receive list changes on their
 * stream; newer clients subscribe. Contract: the host has checked Host, Origin and credentials.
 */
export function mcpHandler(options: McpHandlerOptions): McpHandler {
  return new McpHandler(options);
}

export class McpHandler {
  readonly #options: McpHandlerOptions;
  readonly #onError: (error: unknown) => void;
  readonly #timers: Timers;
  readonly #sessions: SessionTable<LegacySession>;
  readonly #pool: ConnectionPool<Caller>;
  readonly #modern: McpHttpHandler;
  /** The connection of each request; the SDK passes the same request object back. */
  readonly #connections = new WeakMap<Request, McpConnection>();
  readonly #stateKey = randomBytes(32);
  readonly #served = new ServedSkills();
  readonly #work: CallerWork;
  readonly #stopWatching: () => void;
  #isStopped = false;
  #isClosed = false;

  constructor(options: McpHandlerOptions) {
    const { idleMs = IDLE_MS, maxSessions = MAX_SESSIONS, onError = () => {} } = options;
    const { maxSessionsOfCaller = MAX_SESSIONS_OF_CALLER, timers = systemTimers } = options;
    const bounds = { idleMs, most: maxSessions, mostOfCaller: maxSessionsOfCaller, onError, timers };
    this.#options = options;
    this.#onError = onError;
    this.#timers = timers;
    this.#work = new CallerWork({
      calls: options.maxCallsOfCaller ?? MAX_CALLS_OF_CALLER,
      streams: options.maxStreamsOfCaller ?? MAX_STREAMS_OF_CALLER,
    });
    this.#sessions = new SessionTable(bounds);
    this.#pool = new ConnectionPool((who) => this.#connect(who, true), callerId, bounds);
    this.#modern = createMcpHandler(({ requestInfo }) => this.#serverFor(requestInfo), {
      legacy: "reject",
      onerror: onError,
    });
    this.#stopWatching = onSettledChange(options.library, (change) => this.#notify(change), timers);
  }

  readonly fetch = async (request: Request, who: Caller): Promise<Response> => {
    if (this.#isClosed) return refusals.closed();
    try {
      const body = await this.#readBody(request);
      if (body instanceof Response) return body;
      if (this.#isStopped && (request.method === "GET" || isListening(body))) return refusals.closed();
      if (Array.isArray(body) && body.length > 1) who.take?.(body.length - 1);
      const isLegacy = await isLegacyRequest(request, body);
      return isLegacy
        ? await this.#serveLegacy(request, body, who)
        : await this.#serveModern(request, body, who);
    } catch (error) {
      return refuseFailure(error, this.#onError);
    }
  };

  /** Aborts the calls and streams of a caller and closes its sessions. */
  async closeOf(key: string): Promise<void> {
    this.#work.end(key);
    const isTheirs = (caller: string) => isCallerWith(key, caller);
    await Promise.all([this.#sessions.closeOf(isTheirs), this.#pool.closeOf(isTheirs)]);
  }

  /** Ends all change streams and rejects new ones; running calls continue. */
  stop(): void {
    this.#isStopped = true;
    this.#work.endStreams();
    for (const session of this.#sessions.values()) session.endStream();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopWatching();
    await this.#modern.close();
    await Promise.all([this.#sessions.close(), this.#pool.close()]);
  }

  /** The parsed body of a POST, undefined for other methods, or the error response. */
  async #readBody(request: Request): Promise<unknown> {
    if (request.method !== "POST") return undefined;
    if (!isJsonContentType(request.headers.get("content-type"))) return refusals.notJson();
    const read = await readRequestBody(request, this.#options.maxRequestBytes ?? MAX_REQUEST_BYTES);
    if (read.tooLarge) return refusals.tooLarge(this.#options.maxRequestBytes ?? MAX_REQUEST_BYTES);
    try {
      const body: unknown = JSON.parse(read.text);
      return body;
    } catch {
      return refusals.unreadable();
    }
  }

  async #serveModern(request: Request, body: unknown, who: Caller): Promise<Response> {
    const connection = await this.#pool.find(who);
    if (connection === undefined) return refusals.full();
    const serve = async (signal: AbortSignal) => {
      const { url, method, headers } = request;
      // The body was already read.
      const served = new Request(url, { method, headers, signal });
      this.#connections.set(served, connection);
      return await this.#modern.fetch(served, { parsedBody: body });
    };
    return isListening(body)
      ? await this.#work.stream(who.key, request.signal, serve)
      : await serve(this.#work.signalOf(who.key, request.signal));
  }

  async #serveLegacy(request: Request, body: unknown, who: Caller): Promise<Response> {
    if (!["GET", "POST", "DELETE"].includes(request.method)) return refusals.noMethod();
    const id = request.headers.get("mcp-session-id");
    if (id === null)
      return isInitialize(body) ? await this.#initialize(request, body, who) : refusals.noSession();
    const session = this.#sessions.find(id, callerId(who));
    return session === undefined ? refusals.unknownSession() : await session.handle(request, body);
  }

  async #initialize(request: Request, body: unknown, who: Caller): Promise<Response> {
    const slot = this.#sessions.reserve(callerId(who));
    if (slot === undefined) return refusals.full();
    try {
      const id = randomUUID();
      const session = await this.#openSession(id, who);
      if (!slot.fill(id, session)) {
        await session.close();
        return refusals.unknownSession();
      }
      const response = await session.handle(request, body);
      if (!session.isInitialized || this.#isClosed) this.#sessions.remove(id);
      return response;
    } finally {
      slot.free();
    }
  }

  async #openSession(id: string, who: Caller): Promise<LegacySession> {
    const connection = await this.#connect(who, false);
    try {
      const instructions = await instructionsFor(connection);
      const mcp = mcpServer(connection, { instructions, onError: this.#onError, timers: this.#timers });
      return await LegacySession.open(id, connection, mcp, () => this.#sessions.remove(id));
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  async #connect(who: Caller, isShared: boolean): Promise<McpConnection> {
    const skills = await this.#options.open(who);
    const connection = await McpConnection.open(skills, {
      caller: who.key,
      stateKey: this.#stateKey,
      served: this.#served,
      attend: (work) => this.#work.call(who.key, work),
      isShared,
    });
    connection.onToolChange(() => this.#notifyTools(connection));
    return connection;
  }

  /** The server for one request of a newer client. Only `server/discover` returns the instructions. */
  async #serverFor(request: Request | undefined) {
    const connection = request === undefined ? undefined : this.#connections.get(request);
    if (connection === undefined) throw new Error("The request has no connection.");
    const isDiscovery = request?.headers.get("mcp-method") === "server/discover";
    const instructions = isDiscovery ? await instructionsFor(connection) : "";
    return mcpServer(connection, { instructions, onError: this.#onError, timers: this.#timers });
  }

  #notify(change: LibraryChange): void {
    for (const { connection, mcp } of this.#sessions.values()) {
      connection.forget(change);
      notifyListsChanged(mcp, this.#onError);
    }
    for (const connection of this.#pool.values()) connection.forget(change);
    this.#modern.notify.toolsChanged();
    this.#modern.notify.promptsChanged();
    this.#modern.notify.resourcesChanged();
  }

  #notifyTools(connection: McpConnection): void {
    const session = this.#sessions.values().find((each) => each.connection === connection);
    if (session === undefined) this.#modern.notify.toolsChanged();
    else session.mcp.server.sendToolListChanged().catch(this.#onError);
  }
}

/** The viewer is part of the id: a session that was opened for one viewer is not used for another. */
function callerId({ key, viewer }: Caller): string {
  return JSON.stringify([key, viewer]);
}

function isCallerWith(key: string, caller: string): boolean {
  return caller.startsWith(`${JSON.stringify([key]).slice(0, -1)},`);
}

function isListening(body: unknown): boolean {
  return (
    typeof body === "object" && body !== null && "method" in body && body.method === "subscriptions/listen"
  );
}

function isInitialize(body: unknown): boolean {
  const messages = Array.isArray(body) ? body : [body];
  return messages.some(
    (message) =>
      typeof message === "object" &&
      message !== null &&
      "method" in message &&
      message.method === "initialize",
  );
}
