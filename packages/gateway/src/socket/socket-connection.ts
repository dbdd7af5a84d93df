import { SerialQueue } from "@skillhold/core/async";
import type { CancelTimer, Timers } from "@skillhold/core/port";
import { SkillError } from "@skillhold/protocol/error";
import type { ClientMessage, ServerMessage } from "@skillhold/protocol/http";
import type { Principal } from "../auth/principal.ts";
import { problemOf } from "../http/problem.ts";
import { type CallMessage, type CallResponse, parseMessage } from "./client-message.ts";
import { closeCodes } from "./close-code.ts";
import type { SocketChannel } from "./socket-channel.ts";
import type { SocketClient } from "./socket-client.ts";
import type { SocketLimits } from "./socket-limits.ts";
import type { Subscription } from "./subscription.ts";

type MessageOf<M extends ClientMessage["method"]> = Extract<ClientMessage, { readonly method: M }>;

/** The gateway, as a connection uses it. */
export interface ConnectionHost {
  readonly limits: SocketLimits;
  readonly timers: Timers;
  /** Authenticates the client, or throws. */
  admit(connection: SocketConnection, credentials: Headers): Promise<Principal>;
  /** Throws RATE_LIMITED. */
  count(principal: Principal): void;
  call(message: CallMessage, credentials: Headers, connection: SocketConnection): Promise<CallResponse>;
  /** Creates a subscription, which the caller starts; throws for a position after the end of the log. */
  subscribe(
    wanted: MessageOf<"events.subscribe">["params"],
    principal: Principal,
    connection: SocketConnection,
  ): Promise<{ readonly subscription: Subscription; readonly after: number }>;
  /** Creates a subscription of a workspace; throws AGENT_NOT_FOUND unless the principal acts for it. */
  subscribeWorkspace(
    workspace: string,
    principal: Principal,
    connection: SocketConnection,
  ): Promise<{ readonly subscription: Subscription }>;
  nextId(): string;
  /** Logs an internal error. */
  report(error: unknown, requestId: string): void;
}

interface Admitted {
  readonly principal: Principal;
  readonly credentials: Headers;
}

/** The connection of one client. Its messages are handled one at a time. */
export class SocketConnection {
  readonly channel: SocketChannel;
  readonly client: SocketClient;
  readonly #host: ConnectionHost;
  readonly #ending = new AbortController();
  readonly #cancelHello: CancelTimer;
  #admitted: Admitted | undefined;
  #subscription: Subscription | undefined;
  readonly #queue = new SerialQueue();
  #waiting = 0;
  #rejections = 0;

  constructor(channel: SocketChannel, client: SocketClient, host: ConnectionHost) {
    this.channel = channel;
    this.client = client;
    this.#host = host;
    const close = () => this.channel.close(closeCodes.refused, "The client did not authenticate in time.");
    this.#cancelHello = host.timers.after(host.limits.helloMs, close, { isBackground: true });
  }

  /** Undefined before authentication. */
  get principal(): Principal | undefined {
    return this.#admitted?.principal;
  }

  /** Aborted when the connection closes. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Authenticates a workspace by its upgrade request, and starts its envelopes. */
  enterWorkspace(workspace: string): void {
    void this.#queue.run(async () => {
      try {
        const principal = await this.#admit(this.client.workspaceCredentials());
        const { subscription } = await this.#host.subscribeWorkspace(workspace, principal, this);
        this.#start(subscription);
      } catch (error) {
        this.#reject(error, undefined);
        this.channel.close(
          closeCodes.refused,
          "Send the token of the workspace in the header authorization.",
        );
      }
    });
  }

  receive(text: string): void {
    this.#waiting += 1;
    if (this.#waiting > this.#host.limits.waiting) this.channel.setPaused(true);
    void this.#queue.run(async () => {
      if (this.channel.isOpen) await this.#answer(text);
      this.#waiting -= 1;
      if (this.#waiting === 0) this.channel.setPaused(false);
    });
  }

  /** Call it when the socket is closed. */
  end(): void {
    this.#cancelHello();
    this.#ending.abort();
    this.#subscription?.end();
  }

  /** Never rejects: every error becomes a response. */
  async #answer(text: string): Promise<void> {
    const parsed = parseMessage(text);
    try {
      const admitted = this.#admitted;
      if (admitted === undefined) return await this.#authenticate(parsed);
      if ("fault" in parsed) {
        this.#host.count(admitted.principal);
        throw parsed.fault;
      }
      await this.#handle(parsed.message, admitted);
    } catch (error) {
      this.#reject(error, parsed.id);
      if (this.#admitted === undefined)
        this.channel.close(closeCodes.refused, "Authenticate with `hello` first.");
    }
  }

  async #authenticate(parsed: ReturnType<typeof parseMessage>): Promise<void> {
    if ("fault" in parsed) throw parsed.fault;
    const { id, message } = parsed;
    if (message.method !== "hello")
      throw new SkillError("UNAUTHENTICATED", "The first message must be `hello` with a token.");
    const { role, user, agent, expiresAt } = await this.#admit(this.client.credentials(message.params));
    this.send({ id, result: { role, user, expiresAt, ...(agent === undefined ? {} : { agent }) } });
  }

  async #admit(credentials: Headers): Promise<Principal> {
    const principal = await this.#host.admit(this, credentials);
    this.#cancelHello();
    this.#admitted = { principal, credentials };
    return principal;
  }

  async #handle(message: ClientMessage, { principal, credentials }: Admitted): Promise<void> {
    switch (message.method) {
      case "hello":
        this.#host.count(principal);
        throw new SkillError("USAGE", "The connection is already authenticated.", {
          hint: "Open another connection for another token.",
        });
      case "events.subscribe":
        this.#host.count(principal);
        return await this.#subscribe(message, principal);
      case "events.unsubscribe":
        this.#host.count(principal);
        this.#subscription?.end();
        this.#subscription = undefined;
        this.send({ id: message.id, result: {} });
        return;
      default:
        return await this.#call(message, credentials);
    }
  }

  /** The previous subscription ends first, so that no event arrives twice. */
  async #subscribe({ id, params }: MessageOf<"events.subscribe">, principal: Principal): Promise<void> {
    const { subscription, after } = await this.#host.subscribe(params, principal, this);
    this.#subscription?.end();
    this.send({ id, result: { after } });
    this.#start(subscription);
  }

  #start(subscription: Subscription): void {
    this.#subscription = subscription;
    if (this.#ending.signal.aborted) subscription.end();
    else void subscription.start();
  }

  async #call(message: CallMessage, credentials: Headers): Promise<void> {
    const { status, text } = await this.#host.call(message, credentials, this);
    this.channel.send(text);
    if (status === 429) this.#noteRejection();
    else this.#rejections = 0;
    if (status === 401) this.channel.close(closeCodes.refused, "The token is no longer valid.");
  }

  send(message: ServerMessage): void {
    this.channel.send(JSON.stringify(message));
  }

  #reject(error: unknown, id: number | undefined): void {
    const requestId = this.#host.nextId();
    const problem = problemOf(error, requestId);
    if (problem.status >= 500) this.#host.report(error, requestId);
    this.send({ ...(id === undefined ? {} : { id }), error: problem });
    if (problem.code === "RATE_LIMITED") this.#noteRejection();
  }

  /** Closes the connection of a client that keeps ignoring the rate limit. */
  #noteRejection(): void {
    this.#rejections += 1;
    if (this.#rejections > this.#host.limits.refusals)
      this.channel.close(closeCodes.refused, "The client exceeded the rate limit too often.");
  }
}
