import { SkillError } from "@skillhold/protocol/error";

export interface ResponseBounds {
  /** Unread responses per client. */
  readonly answers: number;
  /** Bytes of all unread responses of a client; a single response may be larger. */
  readonly bytes: number;
}

const defaultBounds: ResponseBounds = { answers: 256, bytes: 128 * 1024 * 1024 };

/** A smaller response is never rejected for its bytes. */
const LARGE_BYTES = 1024 * 1024;
const RETRY_SECONDS = 5;

/** The outgoing side of a response. */
export interface OutgoingResponse {
  readonly destroyed: boolean;
  once(event: "close", listener: () => void): unknown;
}

interface Unread {
  responses: number;
  bytes: number;
}

/** Caps unread responses per client by count and bytes, because they stay in memory until the client reads them. */
export class OpenResponses {
  readonly #bounds: ResponseBounds;
  readonly #unread = new Map<string, Unread>();

  constructor(bounds: Partial<ResponseBounds> = {}) {
    this.#bounds = { ...defaultBounds, ...bounds };
  }

  /**
   * Counts one response until it is closed. Returns the function that reserves its bytes. Both throw RATE_LIMITED above
   * the limit.
   */
  begin(client: string, response: OutgoingResponse | undefined): (bytes: number) => void {
    // A response without a connection uses no memory here.
    if (response === undefined || response.destroyed) return () => {};
    const unread = this.#unread.get(client) ?? { responses: 0, bytes: 0 };
    if (unread.responses >= this.#bounds.answers) throw tooMuch(`${unread.responses} responses`);
    this.#unread.set(client, unread);
    unread.responses += 1;
    let own = 0;
    response.once("close", () => {
      unread.responses -= 1;
      unread.bytes -= own;
      if (unread.responses === 0) this.#unread.delete(client);
    });
    return (bytes) => {
      const isOver = bytes >= LARGE_BYTES && unread.bytes > 0 && unread.bytes + bytes > this.#bounds.bytes;
      if (isOver) throw tooMuch(`${unread.bytes} bytes`);
      own += bytes;
      unread.bytes += bytes;
    };
  }
}

function tooMuch(amount: string): SkillError {
  return new SkillError("RATE_LIMITED", `The client has not read ${amount} of earlier requests.`, {
    hint: "Read the pending responses, and send fewer requests at a time.",
    details: { retryAfter: RETRY_SECONDS },
  });
}
