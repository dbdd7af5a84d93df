import { ChartColumn } from "lucide-react";
import type { Answer } from "../../../api/client.ts";
import { useApi } from "../../../api/use-api.ts";
import { Panel } from "../../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../../ui/state.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { Ago } from "../../../ui/text.tsx";
import type { SkillProps } from "../skill-view.ts";
import { fillDays } from "./day.ts";
import { UsageChart } from "./usage-chart.tsx";

type Metrics = Answer<"GET /v1/skills/{id}/metrics">["total"];

/** How a skill was used: in total, by day, and by revision. */
export function Usage({ skill }: SkillProps) {
  const { id } = skill.entry;
  const { data, error, refetch } = useApi("GET /v1/skills/{id}/metrics", { params: { id } });
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonRows count={3} />;
  const { total, days, revisions } = data;
  const isUnused = total.activations + total.reads + total.runs + total.toolCalls + total.denials === 0;
  if (isUnused)
    return (
      <Panel title="Usage">
        <Empty icon={ChartColumn} title="Not used yet">
          Loads, file reads and script runs by agents are counted here.
        </Empty>
      </Panel>
    );
  return (
    <>
      <Panel title="Usage">
        <Totals total={total} />
        <UsageChart days={fillDays(days, new Date())} />
      </Panel>
      {revisions.length > 0 && (
        <Panel title="By revision">
          <Table
            label="Usage by revision"
            columns={columns}
            rows={revisions}
            keyOf={({ revision }) => String(revision ?? "none")}
          />
        </Panel>
      )}
    </>
  );
}

function Totals({ total }: { readonly total: Metrics }) {
  const { activations, reads, runs, runFailures, toolCalls, toolFailures, denials, sessions } = total;
  const numbers = [
    ["Loaded", activations],
    ["Files read", reads],
    ["Runs", runs + toolCalls],
    ["Failed", runFailures + toolFailures],
    ["Refused", denials],
    ["Sessions", sessions],
  ] as const;
  return (
    <dl aria-label="All time" className="grid grid-cols-3 gap-px border-b border-line sm:grid-cols-6">
      {numbers.map(([name, number]) => (
        <div key={name} className="px-4 py-3">
          <dt className="text-xs text-muted">{name}</dt>
          <dd className="text-lg font-semibold tabular-nums">{number.toLocaleString("en")}</dd>
        </div>
      ))}
    </dl>
  );
}

const columns: readonly Column<Metrics>[] = [
  { title: "Revision", show: ({ revision }) => (revision === undefined ? "none" : `r${revision}`) },
  { title: "Loaded", show: ({ activations }) => activations.toLocaleString("en") },
  { title: "Read", isMinor: true, show: ({ reads }) => reads.toLocaleString("en") },
  { title: "Runs", show: ({ runs, toolCalls }) => (runs + toolCalls).toLocaleString("en") },
  {
    title: "Failed",
    show: ({ runFailures, toolFailures }) => (runFailures + toolFailures).toLocaleString("en"),
  },
  {
    title: "Duration (median, max)",
    isMinor: true,
    show: ({ durationMs }) =>
      durationMs === undefined ? "" : `${formatMs(durationMs.p50)}, ${formatMs(durationMs.max)}`,
  },
  {
    title: "Last used",
    isMinor: true,
    show: ({ lastUsedAt }) => (lastUsedAt === undefined ? "" : <Ago at={lastUsedAt} />),
  },
];

function formatMs(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
