import type { RunningContext } from "../running-context.ts";

/**
 * Something that anyone may look at without a token, by GET and HEAD: it is not in the table of routes, and no part of
 * what programs rely on.
 */
export interface Page {
  /** As Hono writes it: `:name` for one part, `:name{.+}` for the rest. */
  readonly path: `/${string}`;
  /** Whether pages of any other origin may fetch it. */
  readonly isForAnyOrigin?: boolean;
  readonly answer: (call: PageCall, context: RunningContext) => Promise<Response>;
}

export interface PageCall {
  /** Decoded once, and otherwise as they were sent. */
  readonly params: Readonly<Record<string, string>>;
  readonly request: Request;
  readonly requestId: string;
}
