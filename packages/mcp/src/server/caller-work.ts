import { SkillError } from "@skillhold/protocol/error";

export interface CallerBounds {
  /** Calls of tools of one caller that are under way at a time. */
  readonly calls: number;
  /** Streams of one caller that tell of changes. */
  readonly streams: number;
}

interface Row {
  calls: number;
  streams: number;
  readonly ending: AbortController;
}

/** What is under way for each caller: it has bounds, and ends when the caller counts no more. */
export class CallerWork {
  readonly #bounds: CallerBounds;
  /** One for each key that was ever used, until it is ended. */
  readonly #rows = new Map<string, Row>();
  readonly #stopping = new AbortController();

  constructor(bounds: CallerBounds) {
    this.#bounds = bounds;
  }

  /** Does what a caller has called for; throws RATE_LIMITED for too much at a time. */
  async call<T>(key: string, work: () => Promise<T>): Promise<T> {
    const row = this.#rowOf(key);
    if (row.calls >= this.#bounds.calls)
      throw new SkillError("RATE_LIMITED", `This caller has ${row.calls} calls under way.`, {
        hint: "Wait for some of them to end.",
      });
    row.calls += 1;
    try {
      return await work();
    } finally {
      row.calls -= 1;
    }
  }

  /** A signal for a request of a caller, aborted as well when the caller is ended. */
  signalOf(key: string, signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.#rowOf(key).ending.signal]);
  }

  /** Opens a stream that lasts until one of both goes; throws RATE_LIMITED for too many. */
  async stream(
    key: string,
    signal: AbortSignal,
    open: (signal: AbortSignal) => Promise<Response>,
  ): Promise<Response> {
    const row = this.#rowOf(key);
    if (row.streams >= this.#bounds.streams)
      throw new SkillError("RATE_LIMITED", `This caller has ${row.streams} streams open.`, {
        hint: "Close those that are not needed.",
      });
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

  /** Breaks off all that is under way for a caller. */
  end(key: string): void {
    this.#rows.get(key)?.ending.abort();
    this.#rows.delete(key);
  }

  /** Ends all streams; calls go on. */
  endStreams(): void {
    this.#stopping.abort();
  }

  #rowOf(key: string): Row {
    const row = this.#rows.get(key) ?? { calls: 0, streams: 0, ending: new AbortController() };
    this.#rows.set(key, row);
    return row;
  }
}

/** The same answer, which tells when nothing more of it comes or is wanted. */
function whenEnded(response: Response, tell: () => void): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    tell();
    return response;
  }
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      tell();
      controller.close();
    },
    cancel: async (reason) => {
      tell();
      await reader.cancel(reason);
    },
  });
  const { status, headers } = response;
  return new Response(body, { status, headers });
}
