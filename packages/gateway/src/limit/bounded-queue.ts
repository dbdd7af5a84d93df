import { SerialQueue } from "@skillhold/core/async";
import { SkillError } from "@skillhold/protocol/error";

/** Runs one task at a time in order of arrival, and rejects a task when too many are waiting. */
export class BoundedQueue {
  readonly #max: number;
  readonly #queue = new SerialQueue();
  #count = 0;

  constructor(max = Number.POSITIVE_INFINITY) {
    this.#max = max;
  }

  /** A task whose signal is aborted before its turn does not start. */
  async run<T>(task: () => Promise<T>, signal?: Pick<AbortSignal, "aborted">): Promise<T> {
    if (this.#count >= this.#max) throw tooMany(this.#count);
    this.#count += 1;
    try {
      return await this.#queue.run(async () => {
        if (signal?.aborted === true)
          throw new SkillError("INTERRUPTED", "The request was canceled before its work started.");
        return await task();
      });
    } finally {
      this.#count -= 1;
    }
  }
}

const RETRY_SECONDS = 5;

function tooMany(count: number): SkillError {
  return new SkillError("RATE_LIMITED", `${count} requests are already waiting for the same work.`, {
    hint: `Retry in ${RETRY_SECONDS} s.`,
    details: { retryAfter: RETRY_SECONDS },
  });
}
