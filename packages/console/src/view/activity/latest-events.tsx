import { Link } from "wouter";
import { useApi } from "../../api/use-api.ts";
import { Dot } from "../../ui/badge.tsx";
import { Panel } from "../../ui/page.tsx";
import { Failure, SkeletonRows } from "../../ui/state.tsx";
import { Ago } from "../../ui/text.tsx";
import { lineOf, namesIn } from "./event-line.ts";

interface LatestEventsProps {
  readonly title: string;
  readonly limit: number;
  /** Only events of these types, separated by commas. */
  readonly type?: string;
  /** Shown without events. */
  readonly empty: string;
  /** The page with all of them. */
  readonly more: { readonly href: string; readonly label: string };
}

/** The latest entries of the audit log that the user may see. */
export function LatestEvents({ title, limit, type, empty, more }: LatestEventsProps) {
  const query = { order: "newest", limit: String(limit), ...(type === undefined ? {} : { type }) } as const;
  const { data, error, refetch } = useApi("GET /v1/audit", { query }, { keep: true });
  const names = namesIn(data?.events ?? []);
  return (
    <Panel
      title={title}
      actions={
        <Link href={more.href} className="text-sm text-accent-strong hover:underline">
          {more.label}
        </Link>
      }
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <SkeletonRows count={3} />}
      {data?.events.length === 0 && <p className="px-4 py-3 text-sm text-muted">{empty}</p>}
      <ol className="divide-y divide-line">
        {data?.events.map(({ seq, event }) => {
          const { who, text, by, tone } = lineOf(event, names);
          return (
            <li key={seq} className="flex items-baseline gap-3 px-4 py-2 text-sm">
              <Dot tone={tone} />
              <p className="min-w-0 flex-1 break-words">
                {who !== undefined && <span className="font-medium">{who} </span>}
                {text}
                {by !== undefined && <span className="text-muted"> · {by}</span>}
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
