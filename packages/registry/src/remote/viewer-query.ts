import type { Viewer } from "@skillhold/core/library";

/** Whose eyes a gateway is asked to look through; what is left out is as the token says. */
export type ViewerQuery = Readonly<Partial<Record<"agent" | "user" | "runtime" | "invoker", string>>>;

/**
 * The runtime of a viewer that leaves it to the gateway, which has an agent's on record: no skill is made for one of
 * this name alone.
 */
export const GATEWAYS_RUNTIME = "*";

/** What of a viewer the gateway decides. Its list of skills and its pins limit it further, here. */
export function viewerQuery({ agent, user, runtime, invoker }: Viewer): ViewerQuery {
  return {
    ...(runtime === GATEWAYS_RUNTIME ? {} : { runtime }),
    ...(agent === undefined ? {} : { agent }),
    ...(user === undefined ? {} : { user }),
    ...(invoker === undefined ? {} : { invoker }),
  };
}

/** What tells it from others. */
export function viewerQueryKey({ agent, user, runtime, invoker }: ViewerQuery): string {
  return JSON.stringify([agent ?? null, user ?? null, runtime ?? null, invoker ?? null]);
}
