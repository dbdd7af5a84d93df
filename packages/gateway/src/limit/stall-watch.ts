import type { IncomingMessage } from "node:http";

/** Less than this a second is no upload, but someone who keeps a connection for themselves. */
const BYTES_A_SECOND = 1024;

interface Span {
  readonly at: number;
  /** How much had come by its connection then. */
  readonly bytes: number;
}

/** Breaks off requests whose bodies come too slowly. One that we are slow to read is not the sender's fault, and stays. */
export class StallWatch {
  readonly #stallMs: number;
  readonly #spans = new Map<IncomingMessage, Span>();
  readonly #timer: NodeJS.Timeout;

  constructor(stallMs: number) {
    this.#stallMs = stallMs;
    this.#timer = setInterval(() => this.#look(), Math.min(1000, stallMs / 4)).unref();
  }

  add(request: IncomingMessage): void {
    const { "content-length": length = "0", "transfer-encoding": encoding } = request.headers;
    if (length !== "0" || encoding !== undefined) this.#spans.set(request, spanOf(request));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
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
