import { SkillError } from "@skillhold/protocol/error";

/** Lets one work at a time, in the order in which they came; of too many that wait, the next is refused. */
export class Turn {
  readonly #most: number;
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;

  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  /** What nobody waits for any more when its turn comes is not begun. */
  async take<T>(work: () => Promise<T>, signal?: Pick<AbortSignal, "aborted">): Promise<T> {
    if (this.#count >= this.#most) throw tooMany(this.#count);
    this.#count += 1;
    const turn = this.#last.then(async () => {
      if (signal?.aborted === true)
        throw new SkillError("INTERRUPTED", "It was called off before it was begun.");
      return await work();
    });
    // What fails is for who asked for it; the next one comes all the same.
    this.#last = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      this.#count -= 1;
    }
  }
}

const RETRY_SECONDS = 5;

function tooMany(count: number): SkillError {
  return new SkillError("RATE_LIMITED", `${count} wait for the same already.`, {
    hint: `Wait ${RETRY_SECONDS} s, then try again.`,
    details: { retryAfter: RETRY_SECONDS },
  });
}
