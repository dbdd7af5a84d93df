import { useInfiniteQuery } from "@tanstack/react-query";
import { History } from "lucide-react";
import { useMemo } from "react";
import { Link } from "wouter";
import { type Answer, call } from "../../../api/client.ts";
import { Dot } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { Panel } from "../../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../../ui/state.tsx";
import { Ago } from "../../../ui/text.tsx";
import { lineOf, namesIn, type SessionNames } from "../../activity/event-line.ts";

type Recorded = Answer<"GET /v1/audit">["events"][number];
const PAGE = 50;

/** The record of one skill, the newest first. */
export function SkillTimeline({ id }: { readonly id: string }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useTimeline(id);
  const events = data?.pages.flatMap((page) => page.events) ?? [];
  const names = useMemo(() => namesIn(data?.pages.flatMap((page) => page.events) ?? []), [data]);
  return (
    <Panel
      title="History"
      actions={
        <Link href={`/activity?skill=${id}`} className="text-sm text-accent-strong hover:underline">
          Open in Activity
        </Link>
      }
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <SkeletonRows count={3} />}
      {data !== undefined && events.length === 0 && (
        <Empty icon={History} title="No history yet">
          Changes and uses of the skill appear here.
        </Empty>
      )}
      <ol className="divide-y divide-line">
        {events.map((recorded) => (
          <EventRow key={recorded.seq} recorded={recorded} names={names} />
        ))}
      </ol>
      {hasNextPage && (
        <div className="border-t border-line px-4 py-2">
          <Button look="quiet" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Load older
          </Button>
        </div>
      )}
    </Panel>
  );
}

function useTimeline(id: string) {
  return useInfiniteQuery({
    // The key starts with the route's name, so a new event marks the query stale.
    queryKey: ["GET /v1/audit", { skill: id, pages: "all" }],
    queryFn: ({ pageParam, signal }) => {
      const before = pageParam === "" ? {} : { after: pageParam };
      const query = { skill: id, order: "newest" as const, limit: String(PAGE), ...before };
      return call("GET /v1/audit", { query, signal });
    },
    initialPageParam: "",
    getNextPageParam: ({ events }) => {
      const last = events.at(-1);
      return last === undefined || events.length < PAGE ? undefined : String(last.seq);
    },
  });
}

interface EventRowProps {
  readonly recorded: Recorded;
  readonly names: SessionNames;
}

function EventRow({ recorded: { event }, names }: EventRowProps) {
  const { text, tone, who, by } = lineOf(event, names);
  const session = "session" in event ? event.session : undefined;
  return (
    <li className="flex items-start gap-3 px-4 py-2 text-sm">
      <span className="flex h-5 items-center">
        <Dot tone={tone} />
      </span>
      <p className="min-w-0 flex-1 break-words">
        {who !== undefined && <span className="font-medium">{who} </span>}
        {text}
        {by !== undefined && <span className="text-muted"> · {by}</span>}
      </p>
      <span className="flex shrink-0 flex-col items-end gap-x-3 text-xs text-muted sm:flex-row">
        {typeof session === "string" && (
          <Link href={`/activity/${encodeURIComponent(session)}`} className="underline underline-offset-2">
            session
          </Link>
        )}
        <Ago at={event.at} />
      </span>
    </li>
  );
}
