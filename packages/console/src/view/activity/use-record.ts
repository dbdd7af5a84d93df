import type { SkillEvent } from "@skillhold/protocol";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type ApiError, call } from "../../api/client.ts";
import { queries, useApi } from "../../api/use-api.ts";

export interface Entry {
  readonly seq: number;
  readonly event: SkillEvent;
  /** The agent and the person who acted, also where only the session names them. */
  readonly agent?: string | undefined;
  readonly person?: string | undefined;
}

/** The filter on the record; an absent field matches everything. */
export interface RecordFilter {
  readonly skill?: string;
  readonly session?: string;
  readonly agent?: string;
  readonly person?: string;
  readonly from?: string;
  readonly to?: string;
  readonly type?: string;
}

export interface RecordState {
  readonly entries: readonly Entry[];
  readonly error: ApiError | null;
  readonly isPending: boolean;
  readonly hasOlder: boolean;
  readonly isReadingOlder: boolean;
  readonly readOlder: () => void;
  readonly retry: () => void;
  /** How many have come that are not shown yet. */
  readonly waiting: number;
  readonly showWaiting: () => void;
}

const PAGE = 100;
const MOST_NEW = 1000;

/**
 * The record, newest first. New entries appear on top while the user is at the top; a user who has scrolled down sees
 * their number and keeps the position.
 */
export function useRecord(filter: RecordFilter): RecordState {
  const key = ["record", filter];
  const older = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => readPage(filter, pageParam, signal),
    initialPageParam: undefined,
    getNextPageParam: nextPage,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const read = older.data?.pages.flat() ?? [];
  const newest = read[0]?.seq ?? 0;
  const news = useApi(
    "GET /v1/audit",
    { query: { ...filter, after: String(newest), limit: String(MOST_NEW) } },
    { enabled: older.data !== undefined, keep: true },
  );
  const fresh = (news.data?.events ?? []).filter(({ seq }) => seq > newest);
  const isAtTop = useIsAtTop();
  const [seen, setSeen] = useState(0);
  const last = fresh.at(-1)?.seq ?? newest;
  useEffect(() => {
    if (isAtTop) setSeen(last);
  }, [isAtTop, last]);
  const shown = fresh.filter(({ seq }) => seq <= seen || isAtTop);
  return {
    entries: [...shown.toReversed(), ...read],
    // Every error of a call is an ApiError.
    error: older.error as ApiError | null,
    isPending: older.isPending,
    hasOlder: older.hasNextPage,
    isReadingOlder: older.isFetchingNextPage,
    readOlder: () => void older.fetchNextPage(),
    retry: () => void older.refetch(),
    waiting: fresh.length - shown.length,
    showWaiting: () => {
      setSeen(last);
      window.scrollTo({ top: 0 });
      // More than one answer holds: the record is read anew from its end.
      if (fresh.length >= MOST_NEW) void queries.resetQueries({ queryKey: key });
    },
  };
}

async function readPage(
  filter: RecordFilter,
  before: number | undefined,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const from = before === undefined ? {} : { after: String(before) };
  const query = { ...filter, ...from, order: "newest" as const, limit: String(PAGE) };
  return (await call("GET /v1/audit", { query, signal })).events;
}

function nextPage(page: readonly Entry[]): number | undefined {
  return page.length < PAGE ? undefined : page.at(-1)?.seq;
}

const TOP_PX = 120;

function useIsAtTop(): boolean {
  const [isAtTop, setAtTop] = useState(true);
  useEffect(() => {
    const look = () => setAtTop(window.scrollY < TOP_PX);
    window.addEventListener("scroll", look, { passive: true });
    return () => window.removeEventListener("scroll", look);
  }, []);
  return isAtTop;
}
