import { lookup } from "node:dns/promises";
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from "node:http";
import { connect, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { HostPins, normalHost, type PinnedHost, type Resolve } from "@skillhold/core/network";
import { SkillError } from "@skillhold/protocol/error";
import type { Authority, EgressRules } from "./host-rule.ts";
import { dialProxy, type FindParent, openTunnel, parentProxies, proxyCredentials } from "./parent-proxy.ts";

export interface EgressPorts {
  readonly resolve: Resolve;
  /** The proxy of this machine's own network, when it has one. */
  readonly findParent: FindParent;
}

function systemPorts(): EgressPorts {
  return {
    resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
    findParent: parentProxies(process.env),
  };
}

const MOST_CONNECTIONS = 128;
const MOST_REFUSED = 50;
const CONNECT_MS = 30_000;
const HEADERS_MS = 30_000;

/**
 * The only way from a sandbox to a network: an HTTP proxy for CONNECT and plain requests. Each host is checked against
 * the rules and resolved once; its address is judged, and every connection goes to that address. Where this machine has
 * a parent proxy, the connection goes through it, and the parent resolves the name again.
 */
export class EgressProxy {
  readonly #rules: EgressRules;
  readonly #pins: { readonly public: HostPins; readonly private: HostPins };
  readonly #server = createServer({ headersTimeout: HEADERS_MS });
  readonly #findParent: FindParent;
  readonly #sockets = new Set<Duplex>();
  readonly #refused = new Set<string>();
  #listener: Server | undefined;
  #isClosed = false;

  constructor(rules: EgressRules, { resolve, findParent }: EgressPorts = systemPorts()) {
    this.#rules = rules;
    this.#findParent = findParent;
    this.#pins = {
      public: new HostPins(resolve, { isPrivateAllowed: () => false }),
      private: new HostPins(resolve, { isPrivateAllowed: () => true }),
    };
    this.#server.on("connect", (request: IncomingMessage, client: Duplex, head: Buffer) => {
      void this.#tunnel(request, client, head);
    });
    this.#server.on("request", (request, response) => void this.#forward(request, response));
    this.#server.on("clientError", (_error, socket) => socket.destroy());
  }

  /** Hosts that the program asked for and did not get, in order. */
  refusedHosts(): readonly string[] {
    return [...this.#refused];
  }

  /** Serves the connections of a listening socket. */
  attach(listener: Server): void {
    this.#listener = listener;
    listener.on("connection", (socket: Socket) => this.serve(socket));
    listener.on("error", () => {});
    if (this.#isClosed) listener.close();
  }

  serve(socket: Socket): void {
    if (this.#isClosed || this.#sockets.size >= MOST_CONNECTIONS) {
      socket.destroy();
      return;
    }
    this.#watch(socket);
    this.#server.emit("connection", socket);
  }

  /** Ends every connection. */
  close(): void {
    this.#isClosed = true;
    this.#listener?.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #watch(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => this.#sockets.delete(socket));
  }

  async #tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on("error", () => {});
    try {
      const target = await this.#reach(readTarget(`https://${request.url ?? ""}`));
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      if (head.length > 0) target.write(head);
      await Promise.allSettled([pipeline(client, target), pipeline(target, client)]);
    } catch (error) {
      const { status, text } = answerOf(error);
      client.end(
        `HTTP/1.1 ${status} ${REASONS[status]}\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
      );
    }
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = readTarget(request.url ?? "");
      if (url.protocol !== "http:") throw malformed(request.url ?? "");
      const answer = await this.#send(request, url);
      response.writeHead(answer.statusCode ?? 502, withoutHops(answer.headers));
      await pipeline(answer, response);
    } catch (error) {
      const { status, text } = answerOf(error);
      if (response.headersSent) response.destroy();
      else response.writeHead(status, { "content-type": "text/plain", connection: "close" }).end(text);
    }
  }

  /** A tunnel to the host. */
  async #reach(url: URL): Promise<Socket> {
    const authority = authorityOf(url);
    const parent = this.#findParent("https:", authority);
    if (parent === undefined) return await this.#dial(await this.#admit(url, authority));
    await this.#admitThroughParent(url, authority);
    const socket = await this.#connected(dialProxy(parent, CONNECT_MS), parent);
    await openTunnel(socket, parent, authority);
    return socket;
  }

  async #send(request: IncomingMessage, url: URL): Promise<IncomingMessage> {
    const authority = authorityOf(url);
    const parent = this.#findParent("http:", authority);
    if (parent === undefined) {
      const socket = await this.#dial(await this.#admit(url, authority));
      return await send(request, url, { socket, path: `${url.pathname}${url.search}` });
    }
    await this.#admitThroughParent(url, authority);
    const socket = await this.#connected(dialProxy(parent, CONNECT_MS), parent);
    return await send(request, url, { socket, path: url.href, headers: proxyCredentials(parent) });
  }

  /** A machine with a parent proxy may be unable to resolve names; then only a listed name passes. */
  async #admitThroughParent(url: URL, authority: Authority): Promise<void> {
    try {
      await this.#admit(url, authority);
    } catch (error) {
      const isUnknown = error instanceof SkillError && error.code === "REMOTE_FAILED";
      if (!isUnknown || !this.#rules.lists(authority)) throw error;
    }
  }

  async #admit(url: URL, authority: Authority): Promise<PinnedHost> {
    if (!this.#rules.allows(authority)) throw this.#refuse(authority.host, NOT_LISTED);
    const pins = this.#rules.allowsPrivate(authority) ? this.#pins.private : this.#pins.public;
    try {
      return { ...(await pins.pin(url)), port: authority.port };
    } catch (error) {
      const isPrivate = error instanceof SkillError && error.code === "POLICY_DENIED";
      throw isPrivate ? this.#refuse(authority.host, "its address is not public") : error;
    }
  }

  #refuse(host: string, reason: string): SkillError {
    if (this.#refused.size < MOST_REFUSED) this.#refused.add(host);
    return new SkillError("POLICY_DENIED", `The sandbox refused ${host}: ${reason}.`, { details: { host } });
  }

  #dial({ address, port, family }: PinnedHost): Promise<Socket> {
    return this.#connected(connect({ host: address, port, family, timeout: CONNECT_MS }));
  }

  #connected(socket: Socket, proxy?: URL): Promise<Socket> {
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    this.#watch(socket);
    socket.once(proxy?.protocol === "https:" ? "secureConnect" : "connect", () => {
      socket.setTimeout(0);
      resolve(socket);
    });
    socket.once("timeout", () => socket.destroy(new Error("The host did not answer.")));
    socket.once("error", reject);
    return promise;
  }
}

const NOT_LISTED = "it is not among the hosts of this run";

/** The URL form normalizes every spelling of a host, such as `0x7f.1`. */
function readTarget(text: string): URL {
  const url = URL.parse(text);
  if (url === null || url.hostname === "" || url.username !== "" || url.password !== "")
    throw malformed(text);
  return url;
}

function authorityOf(url: URL): Authority {
  const { port, protocol } = url;
  return { host: normalHost(url), port: port === "" ? (protocol === "http:" ? 80 : 443) : Number(port) };
}

function malformed(text: string): SkillError {
  return new SkillError("USAGE", `${JSON.stringify(text.slice(0, 80))} is not a request to a proxy.`);
}

interface Sending {
  readonly socket: Socket;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function send(
  request: IncomingMessage,
  url: URL,
  { socket, path, headers = {} }: Sending,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = sendRequest(
    {
      createConnection: () => socket,
      method: request.method,
      path,
      headers: { ...withoutHops(request.headers), ...headers, host: url.host, connection: "close" },
    },
    resolve,
  );
  outgoing.on("error", reject);
  pipeline(request, outgoing).catch(reject);
  return promise;
}

const HOPS = new Set([
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"],
  ...["te", "trailer", "transfer-encoding", "upgrade", "host"],
]);

function withoutHops(headers: IncomingMessage["headers"]): IncomingMessage["headers"] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOPS.has(name)));
}

const REASONS = { 400: "Bad Request", 403: "Forbidden", 502: "Bad Gateway" } as const;

function answerOf(error: unknown): { readonly status: keyof typeof REASONS; readonly text: string } {
  if (!(error instanceof SkillError)) return { status: 502, text: "The host cannot be reached.\n" };
  const status = error.code === "POLICY_DENIED" ? 403 : error.code === "USAGE" ? 400 : 502;
  return { status, text: `${error.message}\n` };
}
