import type { DependencySurvey } from "@skillhold/deps/environment";
import { Turn } from "../limit/turn.ts";

export type Survey = Pick<DependencySurvey, "manifest" | "checks" | "state">;

interface Making<T> {
  readonly made: Promise<T>;
  readonly askers: AbortSignal[];
}

const MOST_WAITING = 64;

/** One look at a time for those who ask, since each may start a process; who asks for the same shares it. */
export class SharedSurveys<T> {
  readonly #turn = new Turn(MOST_WAITING);
  readonly #making = new Map<string, Making<T>>();

  /** The key is what the answer depends on; what has none is shared with nobody. */
  async get(key: string | undefined, look: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (key === undefined) return await this.#turn.take(look, signal);
    const known = this.#making.get(key) ?? this.#begin(key, look);
    known.askers.push(signal);
    return await known.made;
  }

  #begin(key: string, look: () => Promise<T>): Making<T> {
    const askers: AbortSignal[] = [];
    // It is given up when all who asked have gone.
    const wanted = {
      get aborted() {
        return askers.every(({ aborted }) => aborted);
      },
    };
    const made = this.#turn.take(look, wanted).finally(() => this.#making.delete(key));
    const making = { made, askers };
    this.#making.set(key, making);
    return making;
  }
}
