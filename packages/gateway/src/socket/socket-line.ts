import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { type CloseCode, closeCodes } from "./close-code.ts";
import type { SocketLimits } from "./socket-limits.ts";

/** The way to one client. What is sent waits in memory until the client takes it, within bounds. */
export class SocketLine {
  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  readonly #limits: SocketLimits;
  #slowSince: number | undefined;
  #isAlive = true;

  constructor(ws: WebSocket, socket: Duplex, limits: SocketLimits) {
    this.#ws = ws;
    this.#socket = socket;
    this.#limits = limits;
    ws.on("pong", () => {
      this.#isAlive = true;
    });
  }

  get isOpen(): boolean {
    return this.#ws.readyState === this.#ws.OPEN;
  }

  /** One text may be sent to many: as bytes it is not made anew for each. */
  send(text: string | Buffer): void {
    if (!this.isOpen) return;
    this.#ws.send(text, { binary: false });
    this.rejectSlow();
  }

  /** Resolves when there is room again, or nobody left to send to. */
  async flushed(): Promise<void> {
    if (!this.isOpen || !this.#socket.writableNeedDrain) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const done = () => resolve();
    this.#socket.once("drain", done).once("close", done);
    await promise;
    this.#socket.off("drain", done).off("close", done);
  }

  /** Ends it when the client does not take what it is sent. */
  rejectSlow(): void {
    const { slowBytes, slowMs, mostBytes } = this.#limits;
    const { bufferedAmount } = this.#ws;
    if (bufferedAmount <= slowBytes) this.#slowSince = undefined;
    else this.#slowSince ??= performance.now();
    const isSlow = this.#slowSince !== undefined && performance.now() - this.#slowSince > slowMs;
    if (isSlow || bufferedAmount > mostBytes) this.close(closeCodes.tryLater, "Too slow: read faster.");
  }

  /** Asks whether anyone is there; whoever did not answer the last time is not. */
  beat(): void {
    if (!this.#isAlive) this.drop();
    this.#isAlive = false;
    if (this.isOpen) this.#ws.ping();
  }

  /** Ends it without a word. */
  drop(): void {
    this.#ws.terminate();
  }

  /** Stops and goes on with reading what the client sends. */
  hold(isHeld: boolean): void {
    if (isHeld) this.#ws.pause();
    else this.#ws.resume();
  }

  close(code: CloseCode, reason: string): void {
    if (!this.isOpen) return;
    // One that is held would not hear the other side close.
    this.#ws.resume();
    this.#ws.close(code, reason);
  }

  /** Resolves when it is closed; the other side is given some time, and no more. */
  async closed(waitMs: number): Promise<void> {
    if (this.#ws.readyState === this.#ws.CLOSED) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ws.once("close", () => resolve());
    const timer = setTimeout(() => this.drop(), waitMs);
    await promise;
    clearTimeout(timer);
  }
}
