import type { Viewer } from "@skillhold/core/library";

/** The viewer parameters of a request; the token decides the missing ones. */
export type ViewerQuery = Readonly<Partial<Record<"agent" | "user" | "runtime" | "invoker", string>>>;

/**
 * The runtime of a viewer for whom the gateway chooses the registered runtime. No skill targets this name.
 */
export const GATEWAYS_RUNTIME = "*";

/** The viewer parameters that the gateway decides. The viewer's skill list and pins are applied locally. */
export function viewerQuery({ agent, user, runtime, invoker }: Viewer): ViewerQuery {
  return {
    ...(runtime === GATEWAYS_RUNTIME ? {} : { runtime }),
    ...(agent === undefined ? {} : { agent }),
    ...(user === undefined ? {} : { user }),
    ...(invoker === undefined ? {} : { invoker }),
  };
}

/** A key for caches. */
export function viewerQueryKey({ agent, user, runtime, invoker }: ViewerQuery): string {
  return JSON.stringify([agent ?? null, user ?? null, runtime ?? null, invoker ?? null]);
}
