import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { CancelTimer, Timers } from "@skillhold/core/port";

/** A client that reads slower than this keeps responses in our memory. */
const MIN_READ_RATE = 16 * 1024;

interface ReadSpan {
  readonly at: number;
  /** Bytes that the client had read by then. */
  readonly read: number;
}

/** Closes connections whose client reads too slowly. A connection without pending bytes stays open. */
export class DrainWatch {
  readonly #drainMs: number;
  readonly #spans = new WeakMap<Socket, ReadSpan>();
  readonly #timers: Timers;
  readonly #stop: CancelTimer;

  constructor(sockets: () => Iterable<Socket>, drainMs: number, timers: Timers) {
    this.#drainMs = drainMs;
    this.#timers = timers;
    const checkAll = () => {
      for (const socket of sockets()) this.#check(socket);
    };
    this.#stop = timers.every(drainMs / 4, checkAll);
  }

  close(): void {
    this.#stop();
  }

  #check(socket: Socket): void {
    const waiting = socket.writableLength;
    if (waiting === 0) {
      this.#spans.delete(socket);
      return;
    }
    const now = this.#timers.now();
    const read = socket.bytesWritten - waiting;
    const span = this.#spans.get(socket);
    const passed = span === undefined ? 0 : now - span.at;
    if (span !== undefined && passed < this.#drainMs) return;
    if (span !== undefined && read - span.read < (passed / 1000) * MIN_READ_RATE) socket.destroy();
    else this.#spans.set(socket, { at: now, read });
  }
}

/** A body slower than this keeps a connection busy without a real upload. */
const MIN_UPLOAD_RATE = 1024;

interface UploadSpan {
  readonly at: number;
  /** Bytes that had arrived on the connection by then. */
  readonly bytes: number;
}

/** Aborts requests whose body arrives too slowly. A request that the gateway itself reads slowly is kept. */
export class StallWatch {
  readonly #stallMs: number;
  readonly #spans = new Map<IncomingMessage, UploadSpan>();
  readonly #timers: Timers;
  readonly #stop: CancelTimer;

  constructor(stallMs: number, timers: Timers) {
    this.#stallMs = stallMs;
    this.#timers = timers;
    this.#stop = timers.every(Math.min(1000, stallMs / 4), () => this.#check());
  }

  add(request: IncomingMessage): void {
    const { "content-length": length = "0", "transfer-encoding": encoding } = request.headers;
    if (length !== "0" || encoding !== undefined) this.#spans.set(request, this.#spanOf(request));
  }

  close(): void {
    this.#stop();
  }

  #check(): void {
    const now = this.#timers.now();
    for (const [request, { at, bytes }] of this.#spans) {
      if (request.complete || request.destroyed) this.#spans.delete(request);
      else if (now - at >= this.#stallMs) {
        const came = request.socket.bytesRead - bytes;
        const isSlow = came < ((now - at) / 1000) * MIN_UPLOAD_RATE && request.readableLength === 0;
        if (isSlow) request.destroy();
        else this.#spans.set(request, this.#spanOf(request));
      }
    }
  }

  #spanOf({ socket }: IncomingMessage): UploadSpan {
    return { at: this.#timers.now(), bytes: socket.bytesRead };
  }
}
