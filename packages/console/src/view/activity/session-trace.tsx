import { ArrowLeft, Waypoints } from "lucide-react";
import { useMemo } from "react";
import { Link } from "wouter";
import { useIsAdmin } from "../../api/session.tsx";
import { useApi } from "../../api/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../ui/state.tsx";
import { Ago, CopyText, Mono } from "../../ui/text.tsx";
import { DriftNote } from "./drift-note.tsx";
import { useReplay } from "./replay.ts";
import { lasting } from "./run-trace.ts";
import { type Trace, traceOf } from "./trace.ts";
import { TraceTree } from "./trace-tree.tsx";

const MOST = 1000;

/** One session: the skills and files that an agent received, and the runs it started. */
export function SessionTrace({ session }: { readonly session: string }) {
  const query = { session, order: "oldest" as const, limit: String(MOST) };
  const { data, error, isPending, refetch } = useApi("GET /v1/audit", { query }, { keep: true });
  const entries = data?.events ?? [];
  const trace = useMemo(() => traceOf(data?.events ?? []), [data]);
  const isAdmin = useIsAdmin();
  const replay = useReplay(session, isAdmin ? entries.at(-1)?.seq : undefined);
  return (
    <Page
      title={trace.opened?.task ?? "Session"}
      about={<CopyText text={session} label="session id" />}
      actions={
        <Link href="/activity" className="inline-flex items-center gap-1.5 text-sm text-muted hover:text-ink">
          <ArrowLeft className="size-4" aria-hidden /> All activity
        </Link>
      }
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows count={5} />}
      {data !== undefined && entries.length === 0 && (
        <Empty icon={Waypoints} title="Session not found">
          Check the id, or <Link href="/activity?kind=use">browse all sessions</Link>.
        </Empty>
      )}
      {entries.length > 0 && (
        <>
          <Facts trace={trace} />
          {replay.error !== null && <Failure error={replay.error} onRetry={() => void replay.refetch()} />}
          <DriftNote drift={replay.data?.drift ?? []} />
          <Panel title={entries.length < MOST ? "Timeline" : `Timeline, first ${MOST} entries`}>
            <TraceTree trace={trace} steps={replay.data?.steps ?? []} isReading={replay.isPending} />
          </Panel>
        </>
      )}
    </Page>
  );
}

function Facts({ trace: { opened, closedAt, from, to } }: { readonly trace: Trace }) {
  return (
    <Panel>
      <dl className="flex flex-wrap gap-x-8 gap-y-3 px-4 py-3 text-sm [&_dt]:text-xs [&_dt]:text-muted">
        {opened === undefined ? (
          <div>
            <dt>Started</dt>
            <dd>unknown</dd>
          </div>
        ) : (
          <>
            <div>
              <dt>Agent</dt>
              <dd>{opened.agent === undefined ? "none" : <AgentLink agent={opened.agent} />}</dd>
            </div>
            <div>
              <dt>User</dt>
              <dd>{opened.user ?? "none"}</dd>
            </div>
            <div>
              <dt>Runtime</dt>
              <dd>
                <Mono>{opened.runtime}</Mono>
              </dd>
            </div>
            <div>
              <dt>Started</dt>
              <dd>
                <Ago at={opened.at} />
              </dd>
            </div>
          </>
        )}
        <div>
          <dt>Duration</dt>
          <dd className="tabular-nums">{lasting(to - from)}</dd>
        </div>
        <div>
          <dt>State</dt>
          <dd>{closedAt === undefined ? <Badge tone="info">open</Badge> : <Badge>closed</Badge>}</dd>
        </div>
      </dl>
    </Panel>
  );
}

function AgentLink({ agent }: { readonly agent: string }) {
  return (
    <Link href={`/agents/${encodeURIComponent(agent)}`} className="font-medium hover:underline">
      {agent}
    </Link>
  );
}
