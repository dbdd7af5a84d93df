import { ChartColumn } from "lucide-react";
import { Link } from "wouter";
import { useCanPublish, useMe } from "../../api/session.tsx";
import { useApi } from "../../api/use-api.ts";
import { useSkills } from "../../api/use-skills.ts";
import { Badge, Dot } from "../../ui/badge.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../ui/state.tsx";
import { count } from "../../ui/text.tsx";
import { LatestEvents } from "../activity/latest-events.tsx";
import { fillDays, usesOf } from "../skill/activity/day.ts";
import { UsageChart } from "../skill/activity/usage-chart.tsx";
import { healthTable } from "../skills/health.ts";
import { Onboarding } from "./onboarding-panel.tsx";
import { failingOf, unusedOf } from "./skill-standing.ts";

/** The first view: what to do next, what waits, and how the skills are used. */
export function Home() {
  const { user } = useMe();
  const canPublish = useCanPublish();
  return (
    <Page title="Home" about={`Signed in as ${user}.`}>
      {canPublish && <Onboarding />}
      <div className="lg:grid lg:grid-cols-2 lg:items-start">
        <Waiting />
        <Standing />
      </div>
      <AllUsage />
      {canPublish && (
        <LatestEvents
          title="Recent activity"
          limit={8}
          empty="No activity yet."
          more={{ href: "/activity", label: "All activity" }}
        />
      )}
    </Page>
  );
}

/** Things that wait for the signed-in user. */
function Waiting() {
  const canPublish = useCanPublish();
  const { data: approvals } = useApi("GET /v1/approvals", undefined, { enabled: canPublish });
  const { data: pending } = useApi("GET /v1/grants/pending", { query: {} }, { enabled: canPublish });
  const { data: proposals } = useApi("GET /v1/proposals", { query: { waiting: "true" } });
  const { data: rows, error, refetch } = useSkills();
  const attention = rows?.filter(healthTable.attention.fits).length ?? 0;
  const lines = [
    [
      approvals?.questions.filter(({ mayAnswer }) => mayAnswer).length ?? 0,
      "approval",
      "/approvals",
      "waiting for an answer",
    ],
    [proposals?.proposals.length ?? 0, "proposal", "/proposals", "waiting for a review"],
    [pending?.grants.length ?? 0, "grant", "/agents", "waiting for consent"],
    [attention, "skill", "/skills?health=attention", "enabled, but not ready to use"],
  ] as const;
  const open = lines.filter(([number]) => number > 0);
  return (
    <Panel title="Waiting for you">
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && rows === undefined && <SkeletonRows count={2} />}
      {rows !== undefined && open.length === 0 && (
        <p className="px-4 py-3 text-sm text-muted">Nothing waits for you.</p>
      )}
      <ul className="divide-y divide-line">
        {open.map(([number, noun, href, about]) => (
          <li key={noun}>
            <Link
              href={href}
              className="flex items-center gap-3 px-4 py-2.5 text-sm hover:bg-raised focus-visible:-outline-offset-2"
            >
              <Dot tone="warn" />
              <span>
                <span className="font-medium">{count(number, noun)}</span> {about}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const MOST = 5;

/** Skills that fail, and skills that no agent uses. */
function Standing() {
  const { data: rows } = useSkills();
  const { data: metrics, error, refetch } = useApi("GET /v1/metrics");
  if (error !== null)
    return (
      <Panel title="Skills to look at">
        <Failure error={error} onRetry={() => void refetch()} />
      </Panel>
    );
  const isLoaded = rows !== undefined && metrics !== undefined;
  const failing = failingOf(metrics?.skills ?? []);
  const unused = isLoaded ? unusedOf(rows, metrics.skills) : [];
  return (
    <Panel title="Skills to look at">
      {!isLoaded && <SkeletonRows count={2} />}
      {isLoaded && failing.length + unused.length === 0 && (
        <p className="px-4 py-3 text-sm text-muted">No skill fails, and all are in use.</p>
      )}
      <ul className="divide-y divide-line">
        {failing.slice(0, MOST).map(({ id, failures, runs }) => (
          <li key={id} className="flex items-center justify-between gap-3 px-4 py-2.5 text-sm">
            <SkillLink id={id} tab="/activity" />
            <Badge tone="bad">
              {failures} of {count(runs, "run")} failed
            </Badge>
          </li>
        ))}
        {unused.slice(0, MOST).map(({ entry }) => (
          <li key={entry.id} className="flex items-center justify-between gap-3 px-4 py-2.5 text-sm">
            <SkillLink id={entry.id} tab="" />
            <Badge>not used yet</Badge>
          </li>
        ))}
      </ul>
      {unused.length > MOST && (
        <p className="border-t border-line px-4 py-2 text-sm">
          <Link href="/skills?order=used" className="text-accent-strong hover:underline">
            {count(unused.length - MOST, "more skill")} without use
          </Link>
        </p>
      )}
    </Panel>
  );
}

function SkillLink({ id, tab }: { readonly id: string; readonly tab: string }) {
  return (
    <Link
      href={`/skills/${encodeURIComponent(id)}${tab}`}
      className="min-w-0 truncate font-medium hover:underline"
    >
      {id}
    </Link>
  );
}

/** Usage of all skills by day. */
function AllUsage() {
  const { data, error, refetch } = useApi("GET /v1/metrics/days");
  const days = fillDays(data?.days ?? [], new Date());
  return (
    <Panel title="Usage of all skills">
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <SkeletonRows count={2} />}
      {data !== undefined && days.every((day) => usesOf(day) === 0) && (
        <Empty icon={ChartColumn} title="No use in the last 30 days">
          Loads, file reads and script runs by agents are counted here.
        </Empty>
      )}
      {days.some((day) => usesOf(day) > 0) && <UsageChart days={days} />}
    </Panel>
  );
}
