import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener, RequestError } from "@hono/node-server";
import type { Timers } from "@skillhold/core/port";
import { SkillError } from "@skillhold/protocol/error";
import type { GatewayApp } from "./app.ts";
import { problemResponse } from "./http/problem.ts";
import { notHttp, parserProblem, rejectSocket } from "./http/raw-response.ts";
import { ConnectionBound, type ConnectionLimits, connectionLimits } from "./limit/connection-bound.ts";
import { DrainWatch, StallWatch } from "./limit/slow-client.ts";

/** The application behind a port. */
export interface ServedApp {
  readonly app: Pick<GatewayApp, "fetch">;
  /** Upgrades a connection to a WebSocket; without it, upgrades are ignored. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Ends endless responses; called before the wait for running requests. */
  readonly stop?: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The address of a gateway. */
export interface ListenAddress {
  /** A name or an IP address, as configured. */
  readonly host: string;
  readonly port: number;
}

export interface ListenOptions extends ListenAddress {
  /** How long an upload may be slower than 1 KB per second. */
  readonly stallMs?: number;
  /** How long a client may read a response slower than 16 KB per second. */
  readonly drainMs?: number;
  readonly timers: Timers;
  readonly connections?: ConnectionLimits;
  /** Called for connections that failed. */
  readonly onError?: (error: Error) => void;
}

export interface Listening extends ListenAddress {
  /** Stops new connections, waits this long for running requests, aborts the others, and closes the application. */
  readonly close: (graceMs?: number) => Promise<void>;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Headers must arrive fast. An upload may take minutes as long as bytes arrive. */
const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10 * SECOND,
  requestTimeout: 15 * MINUTE,
  keepAliveTimeout: 20 * SECOND,
  connectionsCheckingInterval: 2 * SECOND,
  // The gateway rejects a missing Host itself, with a problem body.
  requireHostHeader: false,
  // A request to upgrade to HTTP/2 is answered over HTTP/1.1.
  shouldUpgradeCallback: ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === "websocket",
} as const;
const BACKLOG = 4096;
const STALL_MS = 10 * SECOND;
const DRAIN_MS = MINUTE;
const FLUSH_MS = SECOND;
export const GRACE_MS = 10 * SECOND;

/**
 * Opens a port and serves an application on it. The application is created when the port is known, in the same turn of the
 * event loop, so no request arrives before it exists. Port 0 selects a free port.
 */
export async function listen(
  serve: (place: ListenAddress) => ServedApp,
  options: ListenOptions,
): Promise<Listening> {
  const stalls = new StallWatch(options.stallMs ?? STALL_MS, options.timers);
  const server = createServer(limits);
  server.maxConnections = (options.connections ?? connectionLimits).all;
  try {
    const place = { host: options.host, port: await bind(server, options) };
    server.on("error", (error) => options.onError?.(error));
    const drainMs = options.drainMs ?? DRAIN_MS;
    return new Port(server, serve(place), { ...options, ...place, stalls, drainMs });
  } catch (error) {
    server.close();
    stalls.close();
    throw error;
  }
}

function bind(server: Server, { host, port }: ListenAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(bindProblem(error, { host, port })));
    // After a restart all clients reconnect at once, which overflows the default backlog of 511.
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.removeAllListeners("error");
      // A TCP server has an AddressInfo.
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function bindProblem(error: NodeJS.ErrnoException, { host, port }: ListenAddress): Error {
  const known = bindFailures[error.code ?? ""];
  if (known === undefined) return error;
  const [message, hint] = known({ host, port });
  return new SkillError("CONFLICT", message, { hint, details: { code: error.code, port }, cause: error });
}

const bindFailures: Readonly<Record<string, (place: ListenAddress) => readonly [string, string]>> = {
  EADDRINUSE: ({ host, port }) => [
    `Port ${port} on ${host} is already in use.`,
    "Stop the other process, or choose another port with --port. --port 0 selects a free port.",
  ],
  EACCES: ({ port }) => [`Permission denied for port ${port}.`, "Choose a port above 1023 with --port."],
  EADDRNOTAVAIL: ({ host }) => [
    `${host} is not an address of this machine.`,
    "Choose an address of this machine with --host.",
  ],
  ENOTFOUND: ({ host }) => [
    `The host ${host} does not exist.`,
    "Choose an address of this machine with --host.",
  ],
};

/**
 * The open responses of one connection. An array per connection instead of one set: the tables of a changing set keep
 * removed entries, and with them whole requests, alive until a full garbage collection.
 */
type OpenResponseList = ServerResponse[];

interface PortOptions extends ListenAddress, Pick<ListenOptions, "onError" | "timers" | "connections"> {
  readonly stalls: StallWatch;
  readonly drainMs: number;
}

class Port implements Listening {
  readonly host: string;
  readonly port: number;
  readonly #server: Server;
  readonly #served: ServedApp;
  readonly #timers: Timers;
  readonly #stalls: StallWatch;
  readonly #drains: DrainWatch;
  readonly #connections = new Map<Socket, OpenResponseList>();
  readonly #bound: ConnectionBound;
  #running = 0;
  #onIdle: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(server: Server, served: ServedApp, options: PortOptions) {
    const { host, port, stalls, drainMs, timers, onError, connections = connectionLimits } = options;
    this.#bound = new ConnectionBound(connections);
    this.#timers = timers;
    this.host = host;
    this.port = port;
    this.#server = server;
    this.#served = served;
    this.#stalls = stalls;
    this.#drains = new DrainWatch(() => this.#connections.keys(), drainMs, timers);
    server.on("connection", (socket) => this.#add(socket));
    const answer = getRequestListener(served.app.fetch, {
      errorHandler: (error) => rejectUnparsed(error, onError),
    });
    const take = (request: IncomingMessage, response: ServerResponse) => {
      this.#begin(request, response);
      // The listener answers its own failures with 500 and never rejects.
      void answer(request, response);
    };
    server.on("request", take);
    // Unknown values of the Expect header are ignored.
    server.on("checkExpectation", take);
    server.on("clientError", (error, socket) => this.#reject(error, socket));
    const { upgrade } = served;
    if (upgrade !== undefined)
      server.on("upgrade", (request, socket, head) => {
        this.#bound.heard(request.socket);
        if (this.#bound.upgrade(request.socket)) upgrade(request, socket, head);
        else rejectSocket(tooManySockets(), randomUUID(), socket);
      });
  }

  close(graceMs: number = GRACE_MS): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  #add(socket: Socket): void {
    this.#bound.add(socket);
    this.#connections.set(socket, []);
    socket.once("close", () => this.#connections.delete(socket));
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    this.#bound.heard(request.socket);
    const responses = this.#connections.get(request.socket);
    responses?.push(response);
    this.#running += 1;
    this.#stalls.add(request);
    if (this.#closing !== undefined) response.setHeader("connection", "close");
    response.once("close", () => {
      responses?.splice(responses.indexOf(response), 1);
      this.#running -= 1;
      if (this.#running === 0) this.#onIdle?.();
      if (this.#closing !== undefined) this.#server.closeIdleConnections();
    });
  }

  /** Rejects bytes that are not a request. During a response the connection can only be closed. */
  #reject(error: Error, socket: Duplex): void {
    // The connections of this server are sockets.
    const responses = this.#connections.get(socket as Socket) ?? [];
    if (!socket.writable || responses.some(({ headersSent }) => headersSent)) socket.destroy();
    else rejectSocket(parserProblem(error), randomUUID(), socket);
  }

  async #close(graceMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const response of [...this.#connections.values()].flat())
      if (!response.headersSent) response.setHeader("connection", "close");
    await Promise.all([this.#served.stop?.(), this.#idle(graceMs)]);
    this.#server.closeAllConnections();
    await this.#served.close();
    this.#stalls.close();
    this.#drains.close();
    // The remaining connections are WebSockets: pending bytes are flushed, and the client is not waited for.
    for (const socket of this.#connections.keys()) socket.destroySoon();
    const destroyAll = () => this.#connections.forEach((_, socket) => void socket.destroy());
    const cancel = this.#timers.after(FLUSH_MS, destroyAll);
    await closed;
    cancel();
  }

  /** Resolves when no request is running, or after the grace time. */
  async #idle(graceMs: number): Promise<void> {
    if (this.#running === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#timers.after(graceMs, resolve);
    this.#onIdle = resolve;
    await promise;
    cancel();
  }
}

function tooManySockets(): SkillError {
  return new SkillError("RATE_LIMITED", "The gateway has too many WebSockets.", {
    hint: "Connect again later, or use another gateway.",
    details: { retryAfter: 30 },
  });
}

/** Answers a request that cannot be parsed. Any other error here is a bug. */
function rejectUnparsed(error: unknown, onError: ListenOptions["onError"]): Response {
  const cause = error instanceof RequestError ? notHttp() : error;
  const log = () => onError?.(error instanceof Error ? error : new Error(String(error)));
  return problemResponse(cause, randomUUID(), { log });
}
