import type { RunningContext } from "../running-context.ts";

/** A page that anyone may GET without a token. Pages are not part of the API and not in the route table. */
export interface GatewayPage {
  /** In Hono's syntax: `:name` for one segment, `:name{.+}` for the rest. */
  readonly path: `/${string}`;
  /** Whether scripts of other origins may fetch it. */
  readonly isForAnyOrigin?: boolean;
  readonly answer: (call: PageCall, context: RunningContext) => Promise<Response>;
}

export interface PageCall {
  /** Decoded once. */
  readonly params: Readonly<Record<string, string>>;
  readonly request: Request;
  readonly requestId: string;
}
