import { useQuery } from "@tanstack/react-query";
import { type ApiError, call } from "../../api/client.ts";

/** The recorded bytes, or the reason why they are unavailable. */
export type Recovered =
  | { readonly isAvailable: true; readonly bytes: number; readonly text?: string }
  | { readonly isAvailable: false; readonly reason: string; readonly message: string };

export interface ReplayStep {
  readonly seq: number;
  readonly kind: "activation" | "read" | "run";
  readonly args?: string | readonly string[];
  /** The text that the agent received when it loaded a skill. */
  readonly text?: Recovered;
  /** The file content that the agent received. */
  readonly content?: Recovered;
  readonly script?: Recovered;
  readonly end?: { readonly at: string };
  /** What a run was given and returned, if it was kept. */
  readonly output?: RunTexts;
}

export interface RunTexts {
  readonly input?: string;
  readonly stdout: string;
  readonly stderr: string;
  /** The result of a declared tool, as JSON. */
  readonly result?: string;
}

export interface Drift {
  readonly skill: string;
  readonly used: string;
  readonly now?: string;
}

export interface Replay {
  readonly steps: readonly ReplayStep[];
  readonly drift: readonly Drift[];
}

const KEPT_MS = 1500;
const MOST_KEPT_MS = 10_000;

function isExpected({ end, output }: ReplayStep): boolean {
  return end !== undefined && output === undefined && Date.now() - Date.parse(end.at) < MOST_KEPT_MS;
}

/** The replay of a session. It is refetched when the session has a new last entry. */
export function useReplay(session: string, last: number | undefined) {
  return useQuery<Replay, ApiError>({
    queryKey: ["GET /v1/audit/sessions/{session}", session, last],
    queryFn: async ({ signal }) => {
      const answer = await call("GET /v1/audit/sessions/{session}", { params: { session }, signal });
      // The route gives a replay; its schema names only what every client needs.
      return { steps: [], drift: [], ...answer } as Replay;
    },
    enabled: last !== undefined,
    placeholderData: (before) => before,
    // An output is kept a moment after the end of its run.
    refetchInterval: ({ state }) => (state.data?.steps.some(isExpected) === true ? KEPT_MS : false),
  });
}
