import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { callAll } from "./all-pages.ts";
import { type Answer, ApiError, type CallInput, call, type RouteKey } from "./client.ts";
import { ConsoleQueries } from "./query-client.ts";

/** Refetches the current user after a 401, so that the console shows the sign-in page. */
function noticeSignedOut(error: Error): void {
  if (error instanceof ApiError && error.status === 401)
    void queries.resetQueries({ queryKey: ["GET /v1/me"] });
}

export const queries = new ConsoleQueries({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      if (queryKey[0] !== "GET /v1/me") noticeSignedOut(error);
    },
  }),
  mutationCache: new MutationCache({ onError: noticeSignedOut }),
  defaultOptions: {
    // A gateway on the same machine is there without a network as well.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      staleTime: 30_000,
      retry: (count, error) => error instanceof ApiError && error.code === "OFFLINE" && count < 3,
    },
  },
});

export interface UseApiOptions<K extends RouteKey = RouteKey> {
  readonly enabled?: boolean;
  /** Shows the previous answer while the next one loads. */
  readonly keep?: boolean;
  /** Whether to fetch again soon, for answers that change without an event. */
  readonly polls?: (answer: Answer<K>) => boolean;
}

/** How often a polled answer is fetched again. */
const POLL_MS = 2000;

/** The cached answer of a route; the WebSocket marks it stale. */
export function useApi<K extends RouteKey>(
  key: K,
  input?: CallInput<K>,
  { enabled = true, keep = false, polls }: UseApiOptions<K> = {},
): UseQueryResult<Answer<K>, ApiError> {
  return useQuery({
    queryKey: [key, input ?? {}],
    // What the route takes, with the way to call it off.
    queryFn: ({ signal }) => callAll(key, { ...input, signal } as CallInput<K>),
    enabled,
    ...(keep ? { placeholderData: keepPreviousData } : {}),
    refetchInterval: ({ state: { data } }) => data !== undefined && polls?.(data) === true && POLL_MS,
  });
}

/** A mutation by a route. Queries that it makes stale are refetched. */
export function useChange<K extends RouteKey>(
  key: K,
  stale: readonly RouteKey[] = [],
): UseMutationResult<Answer<K>, ApiError, CallInput<K>> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: CallInput<K>) => call(key, input),
    onSettled: async () => {
      await Promise.all(stale.map((each) => client.invalidateQueries({ queryKey: [each] })));
    },
  });
}
