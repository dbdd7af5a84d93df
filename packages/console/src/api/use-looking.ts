import { useIsAdmin } from "./session.tsx";
import { useApi } from "./use-api.ts";

/** Whose eyes to look through, as a query takes it. */
export interface Looking {
  readonly agent?: string;
  readonly user?: string;
}

/**
 * How to look as an agent: with what its owner may see, as when it works for them. Others than administrators have no
 * agents but their own. Undefined until the owner is known; without an agent it is whoever is signed in.
 */
export function useLooking(agent: string): Looking | undefined {
  const isOthers = useIsAdmin() && agent !== "";
  const { data, error } = useApi("GET /v1/agents/{key}", { params: { key: agent } }, { enabled: isOthers });
  if (agent === "") return {};
  if (!isOthers) return { agent };
  // What was heard of the owner counts, also when it cannot be heard again.
  if (data !== undefined) return { agent, user: data.owner };
  // What cannot be looked through says so itself.
  return error === null ? undefined : { agent };
}
