import type { Socket } from "node:net";

/** Slower than this nobody takes an answer, but has us keep it. */
const BYTES_A_SECOND = 16 * 1024;

interface Span {
  readonly at: number;
  /** How much had been taken then. */
  readonly taken: number;
}

/** Breaks off connections on which something waits that is not taken, or hardly. One that has nothing to take stays. */
export class DrainWatch {
  readonly #drainMs: number;
  readonly #spans = new WeakMap<Socket, Span>();
  readonly #timer: NodeJS.Timeout;

  constructor(sockets: () => Iterable<Socket>, drainMs: number) {
    this.#drainMs = drainMs;
    const look = () => {
      for (const socket of sockets()) this.#look(socket);
    };
    this.#timer = setInterval(look, drainMs / 4).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(socket: Socket): void {
    const waiting = socket.writableLength;
    if (waiting === 0) {
      this.#spans.delete(socket);
      return;
    }
    const now = performance.now();
    const taken = socket.bytesWritten - waiting;
    const span = this.#spans.get(socket);
    const passed = span === undefined ? 0 : now - span.at;
    if (span !== undefined && passed < this.#drainMs) return;
    if (span !== undefined && taken - span.taken < (passed / 1000) * BYTES_A_SECOND) socket.destroy();
    else this.#spans.set(socket, { at: now, taken });
  }
}
