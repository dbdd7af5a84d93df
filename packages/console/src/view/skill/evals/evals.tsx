import { FlaskConical, Gauge } from "lucide-react";
import { useState } from "react";
import { useRights } from "../../../api/session.tsx";
import { useApi, useChange } from "../../../api/use-api.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { CommandLine } from "../../../ui/command-line.tsx";
import { Panel } from "../../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../../ui/state.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { Ago } from "../../../ui/text.tsx";
import { toast } from "../../../ui/toast.tsx";
import type { SkillProps } from "../skill-view.ts";
import { chartPoints, type EvalSummary, percent, points, revisionLabel } from "./eval-figure.ts";
import { EvalRuns } from "./eval-runs.tsx";
import { PassChart } from "./pass-chart.tsx";

/** Whether the skill helps, and whether agents find it: the results of its evals by revision. */
export function Evals({ skill }: SkillProps) {
  const { id } = skill.entry;
  const canManage = useRights().manages(skill.registry);
  const [shown, setShown] = useState<EvalSummary>();
  const { data, error, refetch } = useApi("GET /v1/skills/{id}/evals", { params: { id } });
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonRows count={4} />;
  const tasks = data.evals.filter(({ kind }) => kind === "tasks");
  const triggers = data.evals.filter(({ kind }) => kind !== "tasks");
  const onShow = canManage ? setShown : undefined;
  return (
    <>
      <Tasks id={id} evals={tasks} onShow={onShow} />
      <Triggers id={id} evals={triggers} canManage={canManage} onShow={onShow} />
      {shown !== undefined && <EvalRuns id={id} summary={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

interface ResultsProps {
  readonly id: string;
  readonly evals: readonly EvalSummary[];
  /** Undefined for people who may not see runs. */
  readonly onShow: ((summary: EvalSummary) => void) | undefined;
}

function Tasks({ id, evals, onShow }: ResultsProps) {
  const chart = chartPoints(evals);
  return (
    <Panel title="Tasks">
      {evals.length === 0 ? (
        <Empty icon={FlaskConical} title="No task evals yet">
          <p>Task evals show whether agents do better with this skill.</p>
          <CommandLine line={`skillhold eval run ${id}`} />
        </Empty>
      ) : (
        <>
          {chart.length > 0 && <PassChart chart={chart} />}
          <Table
            label="Task evals"
            columns={[...taskColumns, ...showColumn(onShow)]}
            rows={evals}
            keyOf={({ id }) => id}
          />
        </>
      )}
    </Panel>
  );
}

const about: readonly Column<EvalSummary>[] = [
  { title: "Revision", show: revisionLabel },
  { title: "When", show: ({ at }) => <Ago at={at} /> },
  {
    title: "Runner",
    isMinor: true,
    show: ({ runner }) => (runner === undefined ? "search" : `${runner.id} (${runner.model})`),
  },
];

const taskColumns: readonly Column<EvalSummary>[] = [
  ...about,
  { title: "Passed", show: ({ arms }) => percent(arms?.[0]?.passed) },
  { title: "Baseline", isMinor: true, show: ({ arms }) => percent(arms?.[1]?.passed) },
  {
    title: "Difference",
    show: ({ comparison }) =>
      comparison === undefined ? (
        "–"
      ) : (
        <span className="inline-flex flex-wrap items-center gap-2">
          {points(comparison.delta)}
          <Badge tone={tones[comparison.verdict]}>{comparison.verdict}</Badge>
        </span>
      ),
  },
  {
    title: "Time",
    isMinor: true,
    show: ({ arms }) => {
      const seconds = arms?.[0]?.seconds?.mean;
      return seconds === undefined ? "–" : `${seconds.toFixed(1)} s`;
    },
  },
  {
    title: "Tokens",
    isMinor: true,
    show: ({ arms }) => {
      const tokens = arms?.[0]?.tokens?.mean;
      return tokens === undefined ? "–" : Math.round(tokens).toLocaleString("en");
    },
  },
];

const tones = { better: "good", worse: "bad", "not significant": "neutral" } as const;

function showColumn(onShow: ResultsProps["onShow"]): readonly Column<EvalSummary>[] {
  if (onShow === undefined) return [];
  return [
    {
      title: "Runs",
      isAction: true,
      show: (summary) => <Button onClick={() => onShow(summary)}>Show runs</Button>,
    },
  ];
}

function Triggers({ id, evals, canManage, onShow }: ResultsProps & { readonly canManage: boolean }) {
  const score = useChange("POST /v1/skills/{id}/evals/triggers", ["GET /v1/skills/{id}/evals"]);
  const run = () =>
    score.mutate(
      { params: { id } },
      { onSuccess: ({ hitAt1 }) => toast(`Ranked first for ${percent(hitAt1)} of its queries`) },
    );
  return (
    <Panel
      title="Triggers"
      actions={
        canManage && (
          <Button icon={Gauge} onClick={run} isBusy={score.isPending}>
            Score by search
          </Button>
        )
      }
    >
      {score.error !== null && <Failure error={score.error} />}
      {evals.length === 0 ? (
        <Empty icon={Gauge} title="No trigger evals yet">
          Trigger evals show on which requests agents choose this skill. Queries are in evals/triggers.json.
        </Empty>
      ) : (
        <Table
          label="Trigger evals"
          columns={[...about, ...triggerColumns, ...showColumn(onShow)]}
          rows={evals}
          keyOf={({ id }) => id}
        />
      )}
    </Panel>
  );
}

const triggerColumns: readonly Column<EvalSummary>[] = [
  { title: "Found", show: ({ recall, hitAt1 }) => percent(recall ?? hitAt1) },
  {
    title: "Wrong",
    show: ({ kind, precision, falseFirst }) =>
      kind === "offline" ? percent(falseFirst) : percent(precision && complement(precision)),
  },
];

function complement({ value, low, high }: NonNullable<EvalSummary["precision"]>) {
  return { value: 1 - value, low: 1 - high, high: 1 - low };
}
