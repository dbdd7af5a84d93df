import type { Viewer } from "@skillhold/core/library";
import { ANY_RUNTIME } from "@skillhold/skill";

/** The viewer parameters of a request; the token decides the missing ones. */
export type ViewerQuery = Readonly<Partial<Record<"agent" | "user" | "runtime" | "invoker", string>>>;

/** Asks for the skills of every runtime and invoker, because the local gate decides about both. */
export const ANY_VIEWER: ViewerQuery = { runtime: ANY_RUNTIME, invoker: "any" };

/** The parameters for one viewer. The agent and the user stay; the viewer's allow list and pins are applied locally. */
export function queryFor({ runtime, invoker = "model" }: Viewer, viewAs: ViewerQuery): ViewerQuery {
  const names = typeof runtime === "string" ? runtime : runtime.join(",");
  return { ...viewAs, ...(names === ANY_RUNTIME ? {} : { runtime: names }), invoker };
}
