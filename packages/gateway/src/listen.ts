import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener, RequestError } from "@hono/node-server";
import { SkillError } from "@skillhold/protocol/error";
import type { GatewayApp } from "./app.ts";
import { explainBytes, noRequest, refuseRaw } from "./http/raw-refusal.ts";
import { refuse } from "./http/refuse.ts";
import { DrainWatch } from "./limit/drain-watch.ts";
import { StallWatch } from "./limit/stall-watch.ts";

/** What answers at a port. */
export interface Served {
  readonly app: Pick<GatewayApp, "fetch">;
  /** Takes over a connection that is to be a WebSocket; without it there are none. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Ends what would else be answered for ever; called before running requests are waited for. */
  readonly stop?: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Where a gateway can be reached. */
export interface Place {
  /** As it was asked for: a name or an address. */
  readonly host: string;
  readonly port: number;
}

export interface ListenOptions extends Place {
  /** How long an upload may be slower than a kilobyte a second. */
  readonly stallMs?: number;
  /** How long an answer may be taken slower than sixteen kilobytes a second. */
  readonly drainMs?: number;
  /** Told of connections that could not be taken. */
  readonly onError?: (error: Error) => void;
}

export interface Listening extends Place {
  /**
   * Takes no new connections, lets running requests end for as long as this, breaks off the others, and closes what
   * was served.
   */
  readonly close: (graceMs?: number) => Promise<void>;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Who is slow to say what they want is not waited for; an upload may take minutes, as long as it goes on. */
const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10 * SECOND,
  requestTimeout: 15 * MINUTE,
  keepAliveTimeout: 20 * SECOND,
  connectionsCheckingInterval: 2 * SECOND,
  // One without a host is refused in our words.
  requireHostHeader: false,
  // Those who speak of HTTP/2 here are answered in HTTP/1.1.
  shouldUpgradeCallback: ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === "websocket",
} as const;
const MAX_CONNECTIONS = 4096;
const STALL_MS = 10 * SECOND;
const DRAIN_MS = MINUTE;
const LAST_WORDS_MS = SECOND;
export const GRACE_MS = 10 * SECOND;

/**
 * Takes a port and answers there. What is served is made when the port is known, in the same turn, so that no request
 * comes before it; a port of 0 is any that is free.
 */
export async function listen(serve: (place: Place) => Served, options: ListenOptions): Promise<Listening> {
  const stalls = new StallWatch(options.stallMs ?? STALL_MS);
  const server = createServer(limits);
  server.maxConnections = MAX_CONNECTIONS;
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

function bind(server: Server, { host, port }: Place): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(explainBind(error, { host, port })));
    // After a restart all clients come back at once, and the usual 511 that may wait are too few for them.
    server.listen({ host, port, backlog: MAX_CONNECTIONS }, () => {
      server.removeAllListeners("error");
      // It listens to a port of TCP, which has an address.
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function explainBind(error: NodeJS.ErrnoException, { host, port }: Place): Error {
  const known = bindFailures[error.code ?? ""];
  if (known === undefined) return error;
  const [message, hint] = known({ host, port });
  return new SkillError("CONFLICT", message, { hint, details: { code: error.code, port }, cause: error });
}

const bindFailures: Readonly<Record<string, (place: Place) => readonly [string, string]>> = {
  EADDRINUSE: ({ host, port }) => [
    `Port ${port} of ${host} is taken.`,
    "End what listens there, or choose another port with --port; --port 0 takes any that is free.",
  ],
  EACCES: ({ port }) => [`Port ${port} is not for you to take.`, "Choose one above 1023 with --port."],
  EADDRNOTAVAIL: ({ host }) => [`${host} is no address of this machine.`, "Name one that is with --host."],
  ENOTFOUND: ({ host }) => [`There is no host ${host}.`, "Name an address of this machine with --host."],
};

/**
 * What is being answered to one client. A list a connection, and not a set of all: the tables that a set leaves behind as
 * it changes keep what was in them, and with them all requests, until all memory is gone through.
 */
type Line = ServerResponse[];

interface PortOptions extends Place, Pick<ListenOptions, "onError"> {
  readonly stalls: StallWatch;
  readonly drainMs: number;
}

class Port implements Listening {
  readonly host: string;
  readonly port: number;
  readonly #server: Server;
  readonly #served: Served;
  readonly #stalls: StallWatch;
  readonly #drains: DrainWatch;
  readonly #lines = new Map<Socket, Line>();
  #running = 0;
  #onIdle: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(server: Server, served: Served, { host, port, stalls, drainMs, onError }: PortOptions) {
    this.host = host;
    this.port = port;
    this.#server = server;
    this.#served = served;
    this.#stalls = stalls;
    this.#drains = new DrainWatch(() => this.#lines.keys(), drainMs);
    server.on("connection", (socket) => this.#hold(socket));
    const answer = getRequestListener(served.app.fetch, {
      errorHandler: (error) => refuseUnread(error, onError),
    });
    const take = (request: IncomingMessage, response: ServerResponse) => {
      this.#begin(request, response);
      // Its own failures are answered with 500, and it never rejects.
      void answer(request, response);
    };
    server.on("request", take);
    // What a client expects beyond the usual is passed over.
    server.on("checkExpectation", take);
    server.on("clientError", (error, socket) => this.#refuse(error, socket));
    const { upgrade } = served;
    if (upgrade !== undefined)
      server.on("upgrade", (request, socket, head) => upgrade(request, socket, head));
  }

  close(graceMs: number = GRACE_MS): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  #hold(socket: Socket): void {
    this.#lines.set(socket, []);
    socket.once("close", () => this.#lines.delete(socket));
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    const line = this.#lines.get(request.socket);
    line?.push(response);
    this.#running += 1;
    this.#stalls.add(request);
    if (this.#closing !== undefined) response.setHeader("connection", "close");
    response.once("close", () => {
      line?.splice(line.indexOf(response), 1);
      this.#running -= 1;
      if (this.#running === 0) this.#onIdle?.();
      if (this.#closing !== undefined) this.#server.closeIdleConnections();
    });
  }

  /** Bytes that are no request. Where something is being answered, nothing can be said any more. */
  #refuse(error: Error, socket: Duplex): void {
    // Connections of this server are sockets.
    const line = this.#lines.get(socket as Socket) ?? [];
    if (!socket.writable || line.some(({ headersSent }) => headersSent)) socket.destroy();
    else refuseRaw(explainBytes(error), randomUUID(), socket);
  }

  async #close(graceMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const response of [...this.#lines.values()].flat())
      if (!response.headersSent) response.setHeader("connection", "close");
    await Promise.all([this.#served.stop?.(), this.#idle(graceMs)]);
    this.#server.closeAllConnections();
    await this.#served.close();
    this.#stalls.close();
    this.#drains.close();
    // What is left was a WebSocket: what it was told last is sent, and nobody is waited for.
    for (const socket of this.#lines.keys()) socket.destroySoon();
    const destroyAll = () => this.#lines.forEach((_, socket) => void socket.destroy());
    const timer = setTimeout(destroyAll, LAST_WORDS_MS);
    await closed;
    clearTimeout(timer);
  }

  /** Until nothing runs any more, or the time is over. */
  async #idle(graceMs: number): Promise<void> {
    if (this.#running === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, graceMs);
    this.#onIdle = resolve;
    await promise;
    clearTimeout(timer);
  }
}

/** What was not understood well enough to be asked for; all else that comes here is a bug. */
function refuseUnread(error: unknown, onError: ListenOptions["onError"]): Response {
  const cause = error instanceof RequestError ? noRequest() : error;
  const log = () => onError?.(error instanceof Error ? error : new Error(String(error)));
  return refuse(cause, randomUUID(), { log });
}
