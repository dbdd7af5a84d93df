import { useIsAdmin } from "./session.tsx";
import { useApi } from "./use-api.ts";

/** Whose eyes to look through, as a query takes it. */
export interface Looking {
  readonly agent?: string;
  readonly user?: string;
}

/**
 * The query parameters to view as an agent, with the access of its owner. Only administrators can view as agents of
 * other users. Undefined until the owner is known; without an agent, the view is the signed-in user's own.
 */
export function useLooking(agent: string): Looking | undefined {
  const isOthers = useIsAdmin() && agent !== "";
  const { data, error } = useApi("GET /v1/agents/{key}", { params: { key: agent } }, { enabled: isOthers });
  if (agent === "") return {};
  if (!isOthers) return { agent };
  // A known owner stays in use when a refetch fails.
  if (data !== undefined) return { agent, user: data.owner };
  // On failure, the request that uses these parameters reports its own error.
  return error === null ? undefined : { agent };
}
