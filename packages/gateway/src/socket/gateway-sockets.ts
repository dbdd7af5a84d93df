import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { SkillError } from "@skillhold/protocol/error";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { GatewayApp } from "../app.ts";
import type { Authenticate } from "../auth/authenticate.ts";
import { rejectForeign } from "../auth/host-check.ts";
import type { Principal } from "../auth/principal.ts";
import type { RateLimit } from "../auth/rate-limit.ts";
import { unauthenticated } from "../auth/unauthenticated.ts";
import { refuseRaw } from "../http/raw-refusal.ts";
import { SOCKET_PATH } from "../missing-route.ts";
import type { RunningContext } from "../running-context.ts";
import { closeCodes } from "./close-code.ts";
import { answerCall } from "./socket-call.ts";
import { type ConnectionHost, SocketConnection } from "./socket-connection.ts";
import { SocketCrowd } from "./socket-crowd.ts";
import { type SocketLimits, socketLimits } from "./socket-limits.ts";
import { SocketLine } from "./socket-line.ts";
import { SocketNews } from "./socket-news.ts";
import { Visitor } from "./visitor.ts";

export interface SocketParts {
  readonly app: GatewayApp;
  readonly authenticate: Authenticate;
  readonly rate: RateLimit;
  readonly limits?: Partial<SocketLimits>;
}

/** The WebSockets of a gateway. */
export class GatewaySockets {
  readonly #parts: SocketParts;
  readonly #context: RunningContext;
  readonly #limits: SocketLimits;
  readonly #server: WebSocketServer;
  readonly #crowd: SocketCrowd;
  readonly #news: SocketNews;
  readonly #host: ConnectionHost;
  #isClosed = false;

  constructor(parts: SocketParts, context: RunningContext) {
    this.#parts = parts;
    this.#context = context;
    this.#limits = { ...socketLimits, ...parts.limits };
    this.#crowd = new SocketCrowd(this.#limits, context.registry.clock);
    this.#news = new SocketNews(this.#crowd, this.#limits, context);
    this.#host = this.#makeHost();
    const { messageBytes, closeMs } = this.#limits;
    const options = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: messageBytes,
      maxFragments: MAX_FRAGMENTS,
      // What is offered there may be a secret, and none is taken from there.
      handleProtocols: () => false as const,
      closeTimeout: closeMs,
    };
    this.#server = new WebSocketServer(options);
    this.#server.on("wsClientError", ({ message }, socket) => {
      const hint = "Open it with a library for WebSockets, by GET and in version 13.";
      this.#refuse(new SkillError("USAGE", `This does not open a WebSocket: ${message}.`, { hint }), socket);
    });
  }

  /** How many are connected. */
  get size(): number {
    return this.#crowd.size;
  }

  /** Makes a connection a WebSocket, or refuses it for its address, its host or its origin. */
  readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    try {
      const visitor = new Visitor(request, this.#context.options);
      this.#rejectUpgrade(visitor);
      this.#server.handleUpgrade(request, socket, head, (ws) => this.#connect(ws, socket, visitor));
    } catch (error) {
      this.#refuse(error, socket);
    }
  };

  /** Tells everyone that it ends, and ends. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#crowd.close();
    await this.#news.close();
  }

  #rejectUpgrade({ request, headers, address }: Visitor): void {
    rejectForeign({ method: request.method ?? "", headers }, this.#context.options);
    this.#parts.rate.takeUpgrade(address);
    const [path, query] = (request.url ?? "").split("?", 2);
    if (path !== SOCKET_PATH) throw new SkillError("ROUTE_NOT_FOUND", `WebSockets are at ${SOCKET_PATH}.`);
    if (query !== undefined)
      throw new SkillError("USAGE", "The address of a WebSocket has no query.", {
        hint: "A token is sent in the first message, never in an address: those are written down in many places.",
      });
    if (this.#isClosed) throw new SkillError("SHUTTING_DOWN", "The gateway is shutting down.");
  }

  #refuse(error: unknown, socket: Duplex): void {
    refuseRaw(error, this.#context.registry.ids.next(), socket);
  }

  #connect(ws: WebSocket, socket: Duplex, visitor: Visitor): void {
    const line = new SocketLine(ws, socket, this.#limits);
    const connection = new SocketConnection(line, visitor, this.#host);
    this.#crowd.add(connection);
    ws.on("message", (data, isBinary) => {
      if (isBinary) line.close(closeCodes.unsupported, "Messages are text.");
      else connection.receive(textOf(data));
    });
    ws.on("close", () => {
      this.#crowd.remove(connection);
      connection.end();
    });
    // A frame that is wrong or too large: what follows is the end of the connection, with a code that says why.
    ws.on("error", () => {});
  }

  #makeHost(): ConnectionHost {
    const { app, rate } = this.#parts;
    const { registry, log } = this.#context;
    return {
      limits: this.#limits,
      admit: (connection, credentials) => this.#admit(connection, credentials),
      count: ({ token }) => rate.takeOf(token),
      call: (message, headers, { visitor: { request }, signal }) =>
        answerCall(message, { headers, request, signal }, app),
      subscribe: (wanted, principal, { line }) => this.#news.subscribe(wanted, principal, line),
      nextId: () => registry.ids.next(),
      report: (error, requestId) => log({ level: "error", event: "socket.failed", requestId, error }),
    };
  }

  async #admit(connection: SocketConnection, credentials: Headers): Promise<Principal> {
    const principal = await this.#authenticate(connection, credentials);
    this.#parts.rate.takeOf(principal.token);
    this.#crowd.admit(connection, principal);
    // That a token is revoked ends the sockets that are known, and only while the log is read: until here it may have been.
    await this.#news.started;
    return await this.#authenticate(connection, credentials);
  }

  async #authenticate({ visitor: { address } }: SocketConnection, headers: Headers): Promise<Principal> {
    const rejectUnknown = () => this.#parts.rate.takeLookup(address);
    const found = await this.#parts.authenticate({ method: "GET", headers, rejectUnknown });
    if (found !== undefined) return found.principal;
    this.#parts.rate.takeFrom(address);
    throw unauthenticated(headers.has("authorization"));
  }
}

/** A message has no need to come in pieces. */
const MAX_FRAGMENTS = 64;

/** Text comes in one piece, or as many. */
function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return Buffer.isBuffer(data) ? data.toString() : Buffer.from(data).toString();
}
