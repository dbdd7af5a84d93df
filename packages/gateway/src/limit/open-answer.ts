import { SkillError } from "@skillhold/protocol/error";

export interface AnswerBounds {
  /** Answers of one who asks that are not taken yet. */
  readonly answers: number;
  /** Bytes of all of them; one alone may have more. */
  readonly bytes: number;
}

export const answerBounds: AnswerBounds = { answers: 256, bytes: 128 * 1024 * 1024 };

/** What has fewer is refused to nobody for its bytes. */
const LARGE_BYTES = 1024 * 1024;
const RETRY_SECONDS = 5;

/** What is being sent. */
export interface Sending {
  readonly destroyed: boolean;
  once(event: "close", listener: () => void): unknown;
}

interface Open {
  answers: number;
  bytes: number;
}

/**
 * What was asked for and is not taken yet, by who asks. It lies in memory until it is taken: whoever leaves much of it
 * there is given no more.
 */
export class OpenAnswers {
  readonly #bounds: AnswerBounds;
  readonly #open = new Map<string, Open>();

  constructor(bounds: Partial<AnswerBounds> = {}) {
    this.#bounds = { ...answerBounds, ...bounds };
  }

  /** One more, until it is sent or broken off. Gives the way to say how many bytes it has; both throw RATE_LIMITED. */
  begin(key: string, answer: Sending | undefined): (bytes: number) => void {
    // What is not sent by us, or to nobody, lies nowhere.
    if (answer === undefined || answer.destroyed) return () => {};
    const open = this.#open.get(key) ?? { answers: 0, bytes: 0 };
    if (open.answers >= this.#bounds.answers) throw tooMuch(`${open.answers} answers`);
    this.#open.set(key, open);
    open.answers += 1;
    let own = 0;
    answer.once("close", () => {
      open.answers -= 1;
      open.bytes -= own;
      if (open.answers === 0) this.#open.delete(key);
    });
    return (bytes) => {
      const isOver = bytes >= LARGE_BYTES && open.bytes > 0 && open.bytes + bytes > this.#bounds.bytes;
      if (isOver) throw tooMuch(`${open.bytes} bytes`);
      own += bytes;
      open.bytes += bytes;
    };
  }
}

function tooMuch(what: string): SkillError {
  return new SkillError("RATE_LIMITED", `${what} of earlier requests have not been read yet.`, {
    hint: "Read what was sent, and ask for less at a time.",
    details: { retryAfter: RETRY_SECONDS },
  });
}
