import { Link } from "wouter";
import { useApi } from "../../api/use-api.ts";
import { Dot } from "../../ui/badge.tsx";
import { Panel } from "../../ui/page.tsx";
import { Failure, SkeletonRows } from "../../ui/state.tsx";
import { Ago } from "../../ui/text.tsx";
import { lineOf } from "../activity/event-line.ts";

const query = {
  type: "approval.granted,approval.denied,approval.revoked",
  order: "newest",
  limit: "10",
} as const;

/** The latest answers and revocations. */
export function History() {
  const { data, error, refetch } = useApi("GET /v1/audit", { query }, { keep: true });
  return (
    <Panel
      title="History"
      actions={
        <Link href="/activity?kind=approvals" className="text-sm text-accent-strong hover:underline">
          All approvals
        </Link>
      }
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <SkeletonRows count={2} />}
      {data?.events.length === 0 && (
        <p className="px-4 py-3 text-sm text-muted">No run has been approved or denied yet.</p>
      )}
      <ol className="divide-y divide-line">
        {data?.events.map(({ seq, event }) => {
          const { who, text, tone } = lineOf(event, new Map());
          return (
            <li key={seq} className="flex items-baseline gap-3 px-4 py-2 text-sm">
              <Dot tone={tone} />
              <p className="min-w-0 flex-1 break-words">
                {who !== undefined && <span className="font-medium">{who} </span>}
                {text}
              </p>
              <span className="text-xs text-muted">
                <Ago at={event.at} />
              </span>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}
