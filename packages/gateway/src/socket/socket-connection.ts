import { SkillError } from "@skillhold/protocol/error";
import type { ClientMessage, ServerMessage } from "@skillhold/protocol/http";
import type { Principal } from "../auth/principal.ts";
import { problemOf } from "../http/problem.ts";
import { readMessage } from "./client-message.ts";
import { closeCodes } from "./close-code.ts";
import type { CallAnswer, CallMessage } from "./socket-call.ts";
import type { SocketLimits } from "./socket-limits.ts";
import type { SocketLine } from "./socket-line.ts";
import type { Subscription } from "./subscription.ts";
import type { Visitor } from "./visitor.ts";

type MessageOf<M extends ClientMessage["method"]> = Extract<ClientMessage, { readonly method: M }>;

/** What a connection needs of its gateway. */
export interface ConnectionHost {
  readonly limits: SocketLimits;
  /** Lets someone in, or throws. */
  admit(connection: SocketConnection, credentials: Headers): Promise<Principal>;
  /** Throws RATE_LIMITED. */
  count(principal: Principal): void;
  call(message: CallMessage, credentials: Headers, connection: SocketConnection): Promise<CallAnswer>;
  /** A place in the log that is not started yet; throws for one that is not there. */
  subscribe(
    wanted: MessageOf<"events.subscribe">["params"],
    principal: Principal,
    connection: SocketConnection,
  ): Promise<{ readonly subscription: Subscription; readonly after: number }>;
  nextId(): string;
  /** What is no refusal. */
  report(error: unknown, requestId: string): void;
}

interface Admitted {
  readonly principal: Principal;
  readonly credentials: Headers;
}

/** One client: what it says is dealt with one after the other. */
export class SocketConnection {
  readonly line: SocketLine;
  readonly visitor: Visitor;
  readonly #host: ConnectionHost;
  readonly #ending = new AbortController();
  readonly #helloTimer: NodeJS.Timeout;
  #admitted: Admitted | undefined;
  #subscription: Subscription | undefined;
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;
  #refusals = 0;

  constructor(line: SocketLine, visitor: Visitor, host: ConnectionHost) {
    this.line = line;
    this.visitor = visitor;
    this.#host = host;
    this.#helloTimer = setTimeout(
      () => this.line.close(closeCodes.refused, "Nobody said who is there."),
      host.limits.helloMs,
    ).unref();
  }

  /** Undefined until it is known. */
  get principal(): Principal | undefined {
    return this.#admitted?.principal;
  }

  /** Aborted when the client is gone. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  receive(text: string): void {
    this.#waiting += 1;
    if (this.#waiting > this.#host.limits.waiting) this.line.hold(true);
    this.#turn = this.#turn.then(async () => {
      if (this.line.isOpen) await this.#answer(text);
      this.#waiting -= 1;
      if (this.#waiting === 0) this.line.hold(false);
    });
  }

  /** To be called when the socket has closed. */
  end(): void {
    clearTimeout(this.#helloTimer);
    this.#ending.abort();
    this.#subscription?.end();
  }

  /** Never fails: whatever goes wrong is an answer. */
  async #answer(text: string): Promise<void> {
    const read = readMessage(text);
    try {
      const admitted = this.#admitted;
      if (admitted === undefined) return await this.#greet(read);
      if ("fault" in read) {
        this.#host.count(admitted.principal);
        throw read.fault;
      }
      await this.#handle(read.message, admitted);
    } catch (error) {
      this.#refuse(error, read.id);
      if (this.#admitted === undefined) this.line.close(closeCodes.refused, "Say who is there first.");
    }
  }

  async #greet(read: ReturnType<typeof readMessage>): Promise<void> {
    if ("fault" in read) throw read.fault;
    const { id, message } = read;
    if (message.method !== "hello")
      throw new SkillError("UNAUTHENTICATED", "The first message is `hello`, with a token.");
    const credentials = this.visitor.credentials(message.params);
    const principal = await this.#host.admit(this, credentials);
    clearTimeout(this.#helloTimer);
    this.#admitted = { principal, credentials };
    const { role, user, agent, expiresAt } = principal;
    this.tell({ id, result: { role, user, expiresAt, ...(agent === undefined ? {} : { agent }) } });
  }

  async #handle(message: ClientMessage, { principal, credentials }: Admitted): Promise<void> {
    switch (message.method) {
      case "hello":
        this.#host.count(principal);
        throw new SkillError("USAGE", "It is known who is there.", { hint: "Open another connection." });
      case "events.subscribe":
        this.#host.count(principal);
        return await this.#subscribe(message, principal);
      case "events.unsubscribe":
        this.#host.count(principal);
        this.#subscription?.end();
        this.#subscription = undefined;
        this.tell({ id: message.id, result: {} });
        return;
      default:
        return await this.#call(message, credentials);
    }
  }

  /** The one before ends first, so that no event comes from two. */
  async #subscribe({ id, params }: MessageOf<"events.subscribe">, principal: Principal): Promise<void> {
    const { subscription, after } = await this.#host.subscribe(params, principal, this);
    this.#subscription?.end();
    this.#subscription = subscription;
    this.tell({ id, result: { after } });
    if (this.#ending.signal.aborted) subscription.end();
    else void subscription.start();
  }

  async #call(message: CallMessage, credentials: Headers): Promise<void> {
    const { status, text } = await this.#host.call(message, credentials, this);
    this.line.send(text);
    if (status === 429) this.#noteRefusal();
    else this.#refusals = 0;
    if (status === 401) this.line.close(closeCodes.refused, "The token is no longer valid.");
  }

  tell(message: ServerMessage): void {
    this.line.send(JSON.stringify(message));
  }

  #refuse(error: unknown, id: number | undefined): void {
    const requestId = this.#host.nextId();
    const problem = problemOf(error, requestId);
    if (problem.status >= 500) this.#host.report(error, requestId);
    this.tell({ ...(id === undefined ? {} : { id }), error: problem });
    if (problem.code === "RATE_LIMITED") this.#noteRefusal();
  }

  /** Whoever goes on after being told to wait so often is not listening. */
  #noteRefusal(): void {
    this.#refusals += 1;
    if (this.#refusals > this.#host.limits.refusals)
      this.line.close(closeCodes.refused, "Too many messages.");
  }
}
