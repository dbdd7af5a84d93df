import type { CancelTimer, Timers } from "@skillhold/core/port";
import { parseBoundedJson } from "@skillhold/core/text";
import { SkillError } from "@skillhold/protocol/error";
import { type ClientMessage, ServerMessage } from "@skillhold/protocol/http";
import type { Limits } from "@skillhold/protocol/limits";
import type { GatewayClient } from "./gateway-client.ts";

export interface WatchPorts {
  readonly client: GatewayClient;
  readonly limits: Limits;
  readonly timers: Timers;
  /** Types of events that are changes, too. */
  readonly types?: readonly string[];
  /** Fetches and reports changes. */
  readonly refresh: () => Promise<void>;
  /** Receives the first of several failures, and the failure that ends the watch. */
  readonly onError: (error: unknown) => void;
}

const FIRST_RETRY_MS = 1000;

/**
 * Refreshes when the gateway reports a change. Polls while no socket is available, for example behind some
 * proxies. No change is missed.
 */
export class ChangeWatch {
  /** Resolves after the first refresh; never rejects. An unreachable gateway is retried. */
  readonly started: Promise<void>;
  readonly #ports: WatchPorts;
  #socket: GatewaySocket | undefined;
  #cancelPoll: CancelTimer | undefined;
  #cancelRetry: CancelTimer | undefined;
  #failures = 0;
  #hasReported = false;
  #refreshing: Promise<void> | undefined;
  #isDue = false;
  #isStopped = false;

  constructor(ports: WatchPorts) {
    this.#ports = ports;
    this.started = this.#refresh();
    this.#poll();
    this.#connect();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelPoll?.();
    this.#cancelRetry?.();
    this.#socket?.close();
  }

  #connect(): void {
    const { client, limits, timers, types = [] } = this.#ports;
    const probeMs = Math.min(limits.remoteMs, limits.remotePollMs);
    this.#socket = new GatewaySocket(
      client,
      {
        onAdmitted: () => this.#admitted(),
        onChanged: () => void this.#refresh(),
        onEnd: (refusal) => this.#disconnected(refusal),
      },
      { timers, probeMs, types },
    );
  }

  /** Refreshes once more to find changes from before the subscription. */
  #admitted(): void {
    this.#failures = 0;
    this.#cancelPoll?.();
    this.#cancelPoll = undefined;
    void this.#refresh();
  }

  #disconnected(refusal: SkillError | undefined): void {
    this.#socket = undefined;
    if (refusal !== undefined) {
      this.#fail(refusal);
      return;
    }
    this.#poll();
    const delay = Math.min(FIRST_RETRY_MS * 2 ** this.#failures, this.#ports.limits.remotePollMs);
    this.#failures += 1;
    this.#cancelRetry = this.#ports.timers.after(delay, () => this.#connect(), { isBackground: true });
  }

  #poll(): void {
    const { timers, limits } = this.#ports;
    this.#cancelPoll ??= timers.every(limits.remotePollMs, () => void this.#refresh());
  }

  /** One refresh at a time; a notification during it triggers another one. */
  #refresh(): Promise<void> {
    if (this.#refreshing !== undefined) this.#isDue = true;
    this.#refreshing ??= this.#refreshWhileDue().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refreshWhileDue(): Promise<void> {
    do {
      this.#isDue = false;
      try {
        await this.#ports.refresh();
        this.#hasReported = false;
      } catch (error) {
        this.#failed(error);
      }
    } while (this.#isDue && !this.#isStopped);
  }

  #failed(error: unknown): void {
    if (this.#isStopped) return;
    if (error instanceof SkillError && error.code === "UNAUTHENTICATED") this.#fail(error);
    else if (!this.#hasReported) this.#ports.onError(error);
    this.#hasReported = true;
  }

  /** A rejected token stays invalid, so the watch ends. */
  #fail(error: SkillError): void {
    if (this.#isStopped) return;
    this.stop();
    this.#ports.onError(error);
  }
}

/** The events of a socket. No event follows `onEnd`. */
interface SocketEvents {
  /** The gateway accepted the token and sends changes from now on. */
  readonly onAdmitted: () => void;
  /** A visible skill changed. */
  readonly onChanged: () => void;
  /** With the error if the gateway rejected the connection. */
  readonly onEnd: (refusal: SkillError | undefined) => void;
}

interface ProbeOptions {
  readonly timers: Timers;
  /** The interval of pings. */
  readonly probeMs: number;
  readonly types: readonly string[];
}

const HELLO = 1;
/** Longer than any notification. */
const MOST_LENGTH = 1024 * 1024;
/** Errors that a retry cannot fix. */
const FINAL: ReadonlySet<string> = new Set(["UNAUTHENTICATED", "FORBIDDEN", "ORIGIN_REFUSED"]);

/**
 * One connection to a gateway that reports changes. Pings the gateway and closes the connection without a
 * reply.
 */
class GatewaySocket {
  readonly #ws: WebSocket;
  readonly #events: SocketEvents;
  readonly #types: readonly string[];
  readonly #cancelProbe: CancelTimer;
  #isAdmitted = false;
  #isStopped = false;
  /** The id of the unanswered ping. */
  #pingId: number | undefined;
  #subscriptionId: number | undefined;
  #lastId = HELLO;

  constructor(
    { base, token }: Pick<GatewayClient, "base" | "token">,
    events: SocketEvents,
    { timers, probeMs, types }: ProbeOptions,
  ) {
    const url = new URL("./ws", base);
    url.protocol = base.protocol === "https:" ? "wss:" : "ws:";
    this.#events = events;
    this.#types = types;
    this.#ws = new WebSocket(url);
    this.#ws.addEventListener("open", () => {
      this.#send({ id: HELLO, method: "hello", params: { token } });
    });
    this.#ws.addEventListener("message", ({ data }) => this.#receive(data));
    this.#ws.addEventListener("error", () => this.#end(undefined));
    this.#ws.addEventListener("close", () => this.#end(undefined));
    this.#cancelProbe = timers.every(probeMs, () => this.#probe());
  }

  close(): void {
    this.#isStopped = true;
    this.#cancelProbe();
    this.#ws.close();
  }

  #receive(data: unknown): void {
    if (this.#isStopped) return;
    const message = typeof data === "string" && data.length <= MOST_LENGTH ? readMessage(data) : undefined;
    // Ignores messages of newer gateways.
    if (message === undefined) return;
    if ("changed" in message || "event" in message) this.#events.onChanged();
    else if ("error" in message) this.#refused(message.error);
    else if ("result" in message) this.#answered(message.id);
  }

  #answered(id: number): void {
    if (id === this.#pingId) this.#pingId = undefined;
    // An event may have been committed after the refresh and before the subscription.
    if (id === this.#subscriptionId) this.#events.onChanged();
    if (id !== HELLO || this.#isAdmitted) return;
    this.#isAdmitted = true;
    if (this.#types.length > 0) {
      this.#lastId += 1;
      this.#subscriptionId = this.#lastId;
      this.#send({ id: this.#lastId, method: "events.subscribe", params: { types: [...this.#types] } });
    }
    this.#events.onAdmitted();
  }

  #refused({ code, detail, hint, requestId }: Extract<ServerMessage, { error: object }>["error"]): void {
    if (this.#isAdmitted) return;
    this.#end(FINAL.has(code) ? new SkillError(code, detail, { hint, details: { requestId } }) : undefined);
  }

  /** Closes the connection if the last ping or the greeting was not answered. */
  #probe(): void {
    if (!this.#isAdmitted || this.#pingId !== undefined) {
      this.#end(undefined);
      return;
    }
    this.#lastId += 1;
    this.#pingId = this.#lastId;
    // A request without effect that the gateway answers.
    if (this.#types.length > 0)
      this.#send({ id: this.#lastId, method: "skills.list", params: { limit: "1" } });
    else this.#send({ id: this.#lastId, method: "events.unsubscribe", params: {} });
  }

  #send(message: ClientMessage): void {
    if (this.#ws.readyState === WebSocket.OPEN) this.#ws.send(JSON.stringify(message));
  }

  #end(refusal: SkillError | undefined): void {
    if (this.#isStopped) return;
    this.close();
    this.#events.onEnd(refusal);
  }
}

function readMessage(text: string): ServerMessage | undefined {
  try {
    return ServerMessage.safeParse(parseBoundedJson(text)).data;
  } catch {
    // Not JSON, or nested too deeply.
    return undefined;
  }
}
