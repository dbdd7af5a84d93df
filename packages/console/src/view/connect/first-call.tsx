import { useQuery } from "@tanstack/react-query";
import { CircleCheck, LoaderCircle } from "lucide-react";
import { type Answer, type ApiError, call } from "../../api/client.ts";
import { Failure } from "../../ui/state.tsx";
import { Ago } from "../../ui/text.tsx";

const POLL_MS = 1500;

type Token = Answer<"GET /v1/tokens/{token}">;

/** Waits for the first use of a token, which has no event of its own. */
export function useFirstCall(token: string) {
  return useQuery<Token, ApiError>({
    queryKey: ["first call", token],
    queryFn: ({ signal }) => call("GET /v1/tokens/{token}", { params: { token }, signal }),
    refetchInterval: ({ state }) => (state.data?.lastUsedAt === undefined ? POLL_MS : false),
    // A person switches to the terminal of the agent meanwhile.
    refetchIntervalInBackground: true,
  });
}

/** Whether the agent has called the gateway yet, live. */
export function FirstCall({ token, agent }: { readonly token: string; readonly agent: string }) {
  const { data, error } = useFirstCall(token);
  const at = data?.lastUsedAt;
  return (
    <div role="status" className="flex items-center gap-3 px-4 py-4 text-sm">
      {at === undefined ? (
        <>
          <LoaderCircle className="size-5 shrink-0 animate-spin text-muted" aria-hidden />
          <span>Waiting for the first call of {agent}. Start it and ask something that needs a skill.</span>
        </>
      ) : (
        <>
          <CircleCheck className="size-5 shrink-0 text-good" aria-hidden />
          <span>
            <span className="font-medium">First call received</span> from {agent}, <Ago at={at} />.
          </span>
        </>
      )}
      {error !== null && <Failure error={error} isCompact />}
    </div>
  );
}
