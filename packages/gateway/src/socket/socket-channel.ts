import type { Duplex } from "node:stream";
import type { CancelTimer, Timers } from "@skillhold/core/port";
import type { WebSocket } from "ws";
import { type CloseCode, closeCodes } from "./close-code.ts";
import type { SocketLimits } from "./socket-limits.ts";

/** The outgoing side of one connection. Unread messages stay in memory, within limits. */
export class SocketChannel {
  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  readonly #limits: SocketLimits;
  readonly #timers: Timers;
  #cancelClose: CancelTimer | undefined;
  #slowSince: number | undefined;
  #isAlive = true;

  constructor(ws: WebSocket, socket: Duplex, limits: SocketLimits, timers: Timers) {
    this.#ws = ws;
    this.#socket = socket;
    this.#limits = limits;
    this.#timers = timers;
    ws.once("close", () => this.#cancelClose?.());
    ws.on("pong", () => {
      this.#isAlive = true;
    });
  }

  get isOpen(): boolean {
    return this.#ws.readyState === this.#ws.OPEN;
  }

  /** A message for many clients is passed as bytes, so that it is encoded once. */
  send(text: string | Buffer): void {
    if (!this.isOpen) return;
    this.#ws.send(text, { binary: false });
    this.rejectSlow();
  }

  /** Resolves when the send buffer has room or the connection is closed. */
  async flushed(): Promise<void> {
    if (!this.isOpen || !this.#socket.writableNeedDrain) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const done = () => resolve();
    this.#socket.once("drain", done).once("close", done);
    await promise;
    this.#socket.off("drain", done).off("close", done);
  }

  /** Closes the connection of a client that reads too slowly. */
  rejectSlow(): void {
    const { slowBytes, slowMs, mostBytes } = this.#limits;
    const { bufferedAmount } = this.#ws;
    if (bufferedAmount <= slowBytes) this.#slowSince = undefined;
    else this.#slowSince ??= this.#timers.now();
    const isSlow = this.#slowSince !== undefined && this.#timers.now() - this.#slowSince > slowMs;
    if (isSlow || bufferedAmount > mostBytes) this.close(closeCodes.tryLater, "The client reads too slowly.");
  }

  /** Sends a ping, and drops a client that did not answer the previous one. */
  ping(): void {
    if (!this.#isAlive) this.drop();
    this.#isAlive = false;
    if (this.isOpen) this.#ws.ping();
  }

  /** Closes without a close frame. */
  drop(): void {
    this.#ws.terminate();
  }

  /** Pauses or resumes reading. */
  setPaused(isPaused: boolean): void {
    if (isPaused) this.#ws.pause();
    else this.#ws.resume();
  }

  close(code: CloseCode, reason: string): void {
    if (!this.isOpen) return;
    // A paused socket would not receive the close frame.
    this.#ws.resume();
    this.#ws.close(code, reason);
    this.#awaitClose(this.#ws.bufferedAmount);
  }

  /** Starts the deadline of a close that the client or an invalid frame started. */
  watchClose(): void {
    if (this.#ws.readyState === this.#ws.CLOSING && this.#cancelClose === undefined)
      this.#awaitClose(this.#ws.bufferedAmount);
  }

  /**
   * Drops a client that neither reads nor answers the close frame. The frame comes after all pending messages, so a client
   * that reads them gets the code of the close, however long it takes.
   */
  #awaitClose(pendingBytes: number): void {
    const check = () => {
      const { bufferedAmount } = this.#ws;
      if (bufferedAmount < pendingBytes) this.#awaitClose(bufferedAmount);
      else this.drop();
    };
    this.#cancelClose = this.#timers.after(this.#limits.closeMs, check, { isBackground: true });
  }

  /** Resolves when the connection is closed; drops it after the given time. */
  async closed(waitMs: number): Promise<void> {
    if (this.#ws.readyState === this.#ws.CLOSED) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ws.once("close", () => resolve());
    const cancel = this.#timers.after(waitMs, () => this.drop());
    await promise;
    cancel();
  }
}
