import { SkillError } from "@skillhold/protocol/error";

export interface CallerBounds {
  /** Concurrent tool calls per caller. */
  readonly calls: number;
  /** Open change streams per caller. */
  readonly streams: number;
}

interface CallerRow {
  calls: number;
  streams: number;
  readonly ending: AbortController;
}

/** The running work per caller. It is limited, and ends when the caller is no longer valid. */
export class CallerWork {
  readonly #bounds: CallerBounds;
  /** One row per key, until the key is ended. */
  readonly #rows = new Map<string, CallerRow>();
  readonly #stopping = new AbortController();

  constructor(bounds: CallerBounds) {
    this.#bounds = bounds;
  }

  /** Runs a call; throws RATE_LIMITED for too many concurrent calls. */
  async call<T>(key: string, work: () => Promise<T>): Promise<T> {
    const row = this.#rowOf(key);
    if (row.calls >= this.#bounds.calls)
      throw new SkillError(
        "RATE_LIMITED",
        `This caller has ${row.calls} running calls, which is the limit.`,
        {
          hint: "Wait for some of them to finish.",
        },
      );
    row.calls += 1;
    try {
      return await work();
    } finally {
      row.calls -= 1;
    }
  }

  /** The signal of a request, which is also aborted when the caller ends. */
  signalOf(key: string, signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.#rowOf(key).ending.signal]);
  }

  /** Opens a stream until the client or the caller ends; throws RATE_LIMITED for too many. */
  async stream(
    key: string,
    signal: AbortSignal,
    open: (signal: AbortSignal) => Promise<Response>,
  ): Promise<Response> {
    const row = this.#rowOf(key);
    if (row.streams >= this.#bounds.streams)
      throw new SkillError(
        "RATE_LIMITED",
        `This caller has ${row.streams} open streams, which is the limit.`,
        {
          hint: "Close unused streams.",
        },
      );
    row.streams += 1;
    let isOpen = true;
    const release = () => {
      if (isOpen) row.streams -= 1;
      isOpen = false;
    };
    try {
      const all = AbortSignal.any([signal, row.ending.signal, this.#stopping.signal]);
      return whenEnded(await open(all), release);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Aborts all work of a caller. */
  end(key: string): void {
    this.#rows.get(key)?.ending.abort();
    this.#rows.delete(key);
  }

  /** Ends all streams; calls continue. */
  endStreams(): void {
    this.#stopping.abort();
  }

  #rowOf(key: string): CallerRow {
    const row = this.#rows.get(key) ?? { calls: 0, streams: 0, ending: new AbortController() };
    this.#rows.set(key, row);
    return row;
  }
}

/** The same response with a callback when its body ends or is canceled. */
function whenEnded(response: Response, onEnd: () => void): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    onEnd();
    return response;
  }
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      onEnd();
      controller.close();
    },
    cancel: async (reason) => {
      onEnd();
      await reader.cancel(reason);
    },
  });
  const { status, headers } = response;
  return new Response(body, { status, headers });
}
