import type { DependencySurvey } from "@skillhold/deps/environment";
import { BoundedQueue } from "../limit/bounded-queue.ts";

export type Survey = Pick<DependencySurvey, "manifest" | "checks" | "state">;

interface PendingSurvey<T> {
  readonly result: Promise<T>;
  readonly callers: AbortSignal[];
}

const MAX_WAITING = 64;

/** Runs one survey at a time, because each may start a process. Callers with the same key share a survey. */
export class SharedSurveys<T> {
  readonly #queue = new BoundedQueue(MAX_WAITING);
  readonly #pending = new Map<string, PendingSurvey<T>>();

  /** Contract: the result depends on the key alone. A survey without a key is not shared. */
  async get(key: string | undefined, survey: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (key === undefined) return await this.#queue.run(survey, signal);
    const pending = this.#pending.get(key) ?? this.#start(key, survey);
    pending.callers.push(signal);
    return await pending.result;
  }

  #start(key: string, survey: () => Promise<T>): PendingSurvey<T> {
    const callers: AbortSignal[] = [];
    // The survey is canceled when every caller has disconnected.
    const signal = {
      get aborted() {
        return callers.every(({ aborted }) => aborted);
      },
    };
    const result = this.#queue.run(survey, signal).finally(() => this.#pending.delete(key));
    const pending = { result, callers };
    this.#pending.set(key, pending);
    return pending;
  }
}
