import type { Socket } from "node:net";

/** A client that reads slower than this keeps responses in our memory. */
const BYTES_A_SECOND = 16 * 1024;

interface Span {
  readonly at: number;
  /** Bytes that the client had read by then. */
  readonly read: number;
}

/** Closes connections whose client reads too slowly. A connection without pending bytes stays open. */
export class DrainWatch {
  readonly #drainMs: number;
  readonly #spans = new WeakMap<Socket, Span>();
  readonly #timer: NodeJS.Timeout;

  constructor(sockets: () => Iterable<Socket>, drainMs: number) {
    this.#drainMs = drainMs;
    const checkAll = () => {
      for (const socket of sockets()) this.#check(socket);
    };
    this.#timer = setInterval(checkAll, drainMs / 4).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(socket: Socket): void {
    const waiting = socket.writableLength;
    if (waiting === 0) {
      this.#spans.delete(socket);
      return;
    }
    const now = performance.now();
    const read = socket.bytesWritten - waiting;
    const span = this.#spans.get(socket);
    const passed = span === undefined ? 0 : now - span.at;
    if (span !== undefined && passed < this.#drainMs) return;
    if (span !== undefined && read - span.read < (passed / 1000) * BYTES_A_SECOND) socket.destroy();
    else this.#spans.set(socket, { at: now, read });
  }
}
