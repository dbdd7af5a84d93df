import { SkillError } from "@skillhold/protocol/error";
import { type ClientMessage, ServerMessage } from "@skillhold/protocol/http";
import type { Limits } from "@skillhold/protocol/limits";
import type { GatewayClient } from "./gateway-client.ts";

/** What is heard on a socket. After `onEnd` there is nothing more. */
export interface SocketEvents {
  /** The gateway knows who is there: from now on it tells. */
  readonly onAdmitted: () => void;
  /** Something that anyone may see has changed. */
  readonly onChanged: () => void;
  /** With what the gateway refused it for, if it did. */
  readonly onEnd: (refusal: SkillError | undefined) => void;
}

const HELLO = 1;
/** More than any notice has. */
const MOST_LENGTH = 1024 * 1024;
/** The token is no other tomorrow; all else may pass. */
const FINAL: ReadonlySet<string> = new Set(["UNAUTHENTICATED", "FORBIDDEN", "ORIGIN_REFUSED"]);

/** One connection to a gateway that tells of changes. A side that says nothing any more is asked, and given up. */
export class GatewaySocket {
  readonly #ws: WebSocket;
  readonly #events: SocketEvents;
  readonly #timer: NodeJS.Timeout;
  #isAdmitted = false;
  #isOver = false;
  /** The question that is not answered yet. */
  #asked: number | undefined;
  #last = HELLO;

  constructor({ base, token }: Pick<GatewayClient, "base" | "token">, events: SocketEvents, limits: Limits) {
    const url = new URL("./ws", base);
    url.protocol = base.protocol === "https:" ? "wss:" : "ws:";
    this.#events = events;
    this.#ws = new WebSocket(url);
    this.#ws.addEventListener("open", () => {
      this.#send({ id: HELLO, method: "hello", params: { token } });
    });
    this.#ws.addEventListener("message", ({ data }) => this.#receive(data));
    this.#ws.addEventListener("error", () => this.#end(undefined));
    this.#ws.addEventListener("close", () => this.#end(undefined));
    this.#timer = setInterval(() => this.#probe(), Math.min(limits.remoteMs, limits.remotePollMs)).unref();
  }

  close(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#ws.close();
  }

  #receive(data: unknown): void {
    if (this.#isOver) return;
    const message = typeof data === "string" && data.length <= MOST_LENGTH ? readMessage(data) : undefined;
    // A newer gateway may tell more than is known here.
    if (message === undefined) return;
    if ("changed" in message) this.#events.onChanged();
    else if ("error" in message) this.#refused(message.error);
    else if ("result" in message) this.#answered(message.id);
  }

  #answered(id: number): void {
    if (id === this.#asked) this.#asked = undefined;
    if (id !== HELLO || this.#isAdmitted) return;
    this.#isAdmitted = true;
    this.#events.onAdmitted();
  }

  #refused({ code, detail, hint, requestId }: Extract<ServerMessage, { error: object }>["error"]): void {
    if (this.#isAdmitted) return;
    this.#end(FINAL.has(code) ? new SkillError(code, detail, { hint, details: { requestId } }) : undefined);
  }

  /** Without an answer to the last one, or to the greeting, nobody is there. */
  #probe(): void {
    if (!this.#isAdmitted || this.#asked !== undefined) {
      this.#end(undefined);
      return;
    }
    this.#last += 1;
    this.#asked = this.#last;
    // It asks for nothing to be told that is not told anyway, and is answered.
    this.#send({ id: this.#last, method: "events.unsubscribe", params: {} });
  }

  #send(message: ClientMessage): void {
    if (this.#ws.readyState === WebSocket.OPEN) this.#ws.send(JSON.stringify(message));
  }

  #end(refusal: SkillError | undefined): void {
    if (this.#isOver) return;
    this.close();
    this.#events.onEnd(refusal);
  }
}

function readMessage(text: string): ServerMessage | undefined {
  try {
    return ServerMessage.safeParse(JSON.parse(text)).data;
  } catch {
    // Not JSON, or nested deeper than anything that is meant.
    return undefined;
  }
}
