import { once } from "node:events";
import { systemTimers } from "@skillhold/core/port";
import { type Gateway, listen } from "@skillhold/gateway";
import type { SkillEvent } from "@skillhold/protocol";
import { ServerMessage } from "@skillhold/protocol/http";
import { WebSocket } from "ws";
import { HOST } from "./gateway.fixture.ts";

export type EventMessage = Extract<ServerMessage, { readonly event: SkillEvent }>;

type Answer = Extract<ServerMessage, { readonly result: unknown } | { readonly error: object }>;

/** A port for a gateway; closing it keeps the gateway open. */
export interface TestPort {
  readonly port: number;
  readonly close: () => Promise<void>;
}

export async function openPort({ app, upgrade }: Gateway): Promise<TestPort> {
  const served = { app, upgrade, close: async () => {} };
  const listening = await listen(() => served, { host: "127.0.0.1", port: 0, timers: systemTimers });
  return { port: listening.port, close: () => listening.close(0) };
}

/** A client that stores all messages and validates each one. */
export class TestSocket {
  readonly ws: WebSocket;
  readonly messages: ServerMessage[] = [];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly #listeners = new Set<() => void>();
  #id = 0;
  #isClosed = false;

  private constructor(ws: WebSocket) {
    this.ws = ws;
    this.closed = new Promise((resolve) =>
      ws.once("close", (code, reason) => {
        this.#isClosed = true;
        for (const listener of this.#listeners) listener();
        resolve({ code, reason: reason.toString() });
      }),
    );
    ws.on("error", () => {});
    ws.on("message", (data) => {
      this.messages.push(ServerMessage.parse(JSON.parse(String(data))));
      for (const listener of this.#listeners) listener();
    });
  }

  /** Connects without authentication. */
  static async connect(
    { port }: Pick<TestPort, "port">,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestSocket> {
    const ws = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { host: HOST, ...headers } });
    const socket = new TestSocket(ws);
    await once(ws, "open");
    return socket;
  }

  /** Connects and authenticates. */
  static async open(
    port: Pick<TestPort, "port">,
    { authorization }: { readonly authorization: string },
  ): Promise<TestSocket> {
    const socket = await TestSocket.connect(port);
    await socket.ask("hello", { token: authorization.replace("Bearer ", "") });
    return socket;
  }

  get events(): readonly EventMessage[] {
    return this.messages.filter((message) => "event" in message);
  }

  send(message: unknown): void {
    this.ws.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  /** The result or the error of a method. */
  async ask(method: string, params: unknown): Promise<unknown> {
    const answer = await this.answer(method, params);
    if (!("result" in answer)) throw new Error(JSON.stringify(answer));
    return answer.result;
  }

  async answer(method: string, params: unknown): Promise<Answer> {
    this.#id += 1;
    const id = this.#id;
    this.send({ id, method, params });
    return await this.find((message) => ("id" in message && message.id === id ? message : undefined));
  }

  async subscribe(params: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const before = this.messages.length;
    await this.ask("events.subscribe", params);
    await this.find((message, at) => ("caughtUp" in message && at >= before ? message : undefined));
  }

  /** The first matching message, received or future; rejects when the socket closes first. */
  async find<T>(look: (message: ServerMessage, at: number) => T | undefined): Promise<T> {
    for (let at = 0; ; at += 1) {
      while (at >= this.messages.length) {
        if (this.#isClosed) throw new Error(`closed: ${JSON.stringify(await this.closed)}`);
        await new Promise<void>((resolve) => {
          const listener = () => {
            this.#listeners.delete(listener);
            resolve();
          };
          this.#listeners.add(listener);
        });
      }
      const message = this.messages[at];
      const found = message === undefined ? undefined : look(message, at);
      if (found !== undefined) return found;
    }
  }

  /** The event with this number. */
  async event(seq: number): Promise<SkillEvent> {
    return await this.find((message) =>
      "event" in message && message.seq === seq ? message.event : undefined,
    );
  }

  async close(): Promise<void> {
    this.ws.close();
    await this.closed;
  }
}
