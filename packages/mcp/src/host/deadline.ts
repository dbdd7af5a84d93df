import type { LimitName } from "@skillhold/protocol/limits";
import { refuse } from "./refusal.ts";

export interface Deadline {
  /** What the time is called in the table of limits. */
  readonly limit: LimitName;
  readonly ms: number;
  /** Calls it off before that. */
  readonly signal?: AbortSignal;
}

/** Does work that a server has a part in; when the time is over it fails, whatever becomes of the work. */
export async function withDeadline<T>(
  { limit, ms, signal }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const ended = Promise.withResolvers<never>();
  const end = (error: Error) => {
    ended.reject(error);
    controller.abort(error);
  };
  const callOff = () => end(refuse("MCP_UNREACHABLE", "The server is not asked any more."));
  const timer = setTimeout(() => {
    end(refuse("MCP_TIMED_OUT", `The server did not answer within ${ms} ms (${limit}).`));
  }, ms);
  signal?.addEventListener("abort", callOff, { once: true });
  try {
    if (signal?.aborted === true) callOff();
    return await Promise.race([ended.promise, work(controller.signal)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", callOff);
  }
}
