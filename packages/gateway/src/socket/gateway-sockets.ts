import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { SkillError } from "@skillhold/protocol/error";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { GatewayApp } from "../app.ts";
import { getAgentFor } from "../auth/agent-owner.ts";
import { type Authenticate, unauthenticated } from "../auth/authentication.ts";
import { rejectForeign } from "../auth/host-check.ts";
import type { Principal } from "../auth/principal.ts";
import type { RateLimit } from "../auth/rate-limit.ts";
import { rejectSocket } from "../http/raw-response.ts";
import { SOCKET_PATH } from "../missing-route.ts";
import type { RunningContext } from "../running-context.ts";
import { callRoute } from "./client-message.ts";
import { closeCodes } from "./close-code.ts";
import { ConnectionTable } from "./connection-table.ts";
import { SocketChannel } from "./socket-channel.ts";
import { SocketClient } from "./socket-client.ts";
import { type ConnectionHost, SocketConnection } from "./socket-connection.ts";
import { type SocketLimits, socketLimits } from "./socket-limits.ts";
import { SocketPublisher } from "./socket-publisher.ts";

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
  readonly #connections: ConnectionTable;
  readonly #publisher: SocketPublisher;
  readonly #host: ConnectionHost;
  #isClosed = false;

  constructor(parts: SocketParts, context: RunningContext) {
    this.#parts = parts;
    this.#context = context;
    this.#limits = { ...socketLimits, ...parts.limits };
    const { timers, registry } = context;
    this.#connections = new ConnectionTable(this.#limits, { clock: registry.clock, timers });
    this.#publisher = new SocketPublisher(this.#connections, this.#limits, context);
    this.#host = this.#makeHost();
    const { messageBytes } = this.#limits;
    const options = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: messageBytes,
      maxFragments: MAX_FRAGMENTS,
      // Clients may put a token into the subprotocol; it is never accepted there.
      handleProtocols: () => false as const,
      // The channel has its own deadline, which a client that reads the rest extends.
      closeTimeout: 2 ** 31 - 1,
    };
    this.#server = new WebSocketServer(options);
    this.#server.on("wsClientError", ({ message }, socket) => {
      const hint = "Open it with a WebSocket library that uses version 13.";
      this.#reject(
        new SkillError("USAGE", `The WebSocket handshake is invalid: ${message}.`, { hint }),
        socket,
      );
    });
  }

  /** The number of connections. */
  get size(): number {
    return this.#connections.size;
  }

  /** Upgrades a connection to a WebSocket, or rejects it for its path, host, origin or rate. */
  readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    try {
      const client = new SocketClient(request, this.#context.options);
      this.#rejectUpgrade(client);
      this.#server.handleUpgrade(request, socket, head, (ws) => this.#connect(ws, socket, client));
    } catch (error) {
      this.#reject(error, socket);
    }
  };

  /** Closes all connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connections.close();
    await this.#publisher.close();
  }

  #rejectUpgrade({ request, headers, address }: SocketClient): void {
    rejectForeign({ method: request.method ?? "", headers }, this.#context.options);
    this.#parts.rate.takeUpgrade(address);
    const [path, query] = (request.url ?? "").split("?", 2);
    if (path !== SOCKET_PATH)
      throw new SkillError("ROUTE_NOT_FOUND", `The WebSocket endpoint is ${SOCKET_PATH}.`);
    if (query !== undefined)
      throw new SkillError("USAGE", "The WebSocket URL must not have a query.", {
        hint: "Send the token in the first message. URLs appear in logs.",
      });
    if (this.#isClosed) throw new SkillError("SHUTTING_DOWN", "The gateway is shutting down.");
  }

  #reject(error: unknown, socket: Duplex): void {
    rejectSocket(error, this.#context.registry.ids.next(), socket);
  }

  #connect(ws: WebSocket, socket: Duplex, client: SocketClient): void {
    const channel = new SocketChannel(ws, socket, this.#limits, this.#context.timers);
    const connection = new SocketConnection(channel, client, this.#host);
    this.#connections.add(connection);
    if (client.workspace !== undefined) connection.enterWorkspace(client.workspace);
    ws.on("message", (data, isBinary) => {
      if (isBinary) channel.close(closeCodes.unsupported, "Messages must be text.");
      else connection.receive(textOf(data));
    });
    ws.on("close", () => {
      this.#connections.remove(connection);
      connection.end();
    });
    // After an invalid or too large frame, `ws` closes the connection with the matching code.
    ws.on("error", () => {});
  }

  #makeHost(): ConnectionHost {
    const { app, rate } = this.#parts;
    const { registry, log, timers } = this.#context;
    return {
      limits: this.#limits,
      timers,
      admit: (connection, credentials) => this.#admit(connection, credentials),
      count: ({ token }) => rate.takeOf(token),
      call: (message, headers, { client: { request }, signal }) =>
        callRoute(message, { headers, request, signal }, app),
      subscribe: (params, principal, { channel }) => this.#publisher.subscribe(params, principal, channel),
      subscribeWorkspace: async (id, principal, { channel }) => {
        const { key } = await getAgentFor(id, principal, registry);
        return await this.#publisher.subscribe({ workspace: key }, principal, channel);
      },
      nextId: () => registry.ids.next(),
      report: (error, requestId) => log({ level: "error", event: "socket.failed", requestId, error }),
    };
  }

  async #admit(connection: SocketConnection, credentials: Headers): Promise<Principal> {
    const principal = await this.#authenticate(connection, credentials);
    this.#parts.rate.takeOf(principal.token);
    this.#connections.admit(connection, principal);
    // Revocations reach known sockets only while the log is read, so a token may have been revoked before this point.
    await this.#publisher.started;
    await this.#publisher.noteView(principal);
    return await this.#authenticate(connection, credentials);
  }

  async #authenticate({ client: { address } }: SocketConnection, headers: Headers): Promise<Principal> {
    const rejectUnknown = () => this.#parts.rate.takeLookup(address);
    const authenticated = await this.#parts.authenticate({ method: "GET", headers, rejectUnknown });
    if (authenticated !== undefined) return authenticated.principal;
    this.#parts.rate.takeFrom(address);
    throw unauthenticated(headers.has("authorization"));
  }
}

/** Messages are small and need few fragments. */
const MAX_FRAGMENTS = 64;

/** `ws` delivers a message as one buffer or as several. */
function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return Buffer.isBuffer(data) ? data.toString() : Buffer.from(data).toString();
}
