import type { IncomingMessage } from "node:http";

/** A body slower than this keeps a connection busy without a real upload. */
const BYTES_A_SECOND = 1024;

interface Span {
  readonly at: number;
  /** Bytes that had arrived on the connection by then. */
  readonly bytes: number;
}

/** Aborts requests whose body arrives too slowly. A request that the gateway itself reads slowly is kept. */
export class StallWatch {
  readonly #stallMs: number;
  readonly #spans = new Map<IncomingMessage, Span>();
  readonly #timer: NodeJS.Timeout;

  constructor(stallMs: number) {
    this.#stallMs = stallMs;
    this.#timer = setInterval(() => this.#check(), Math.min(1000, stallMs / 4)).unref();
  }

  add(request: IncomingMessage): void {
    const { "content-length": length = "0", "transfer-encoding": encoding } = request.headers;
    if (length !== "0" || encoding !== undefined) this.#spans.set(request, spanOf(request));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    for (const [request, { at, bytes }] of this.#spans) {
      if (request.complete || request.destroyed) this.#spans.delete(request);
      else if (now - at >= this.#stallMs) {
        const came = request.socket.bytesRead - bytes;
        const isSlow = came < ((now - at) / 1000) * BYTES_A_SECOND && request.readableLength === 0;
        if (isSlow) request.destroy();
        else this.#spans.set(request, spanOf(request));
      }
    }
  }
}

function spanOf({ socket }: IncomingMessage): Span {
  return { at: performance.now(), bytes: socket.bytesRead };
}
