import { useApi } from "../../../api/use-api.ts";
import { Badge, type Tone } from "../../../ui/badge.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Failure, SkeletonRows } from "../../../ui/state.tsx";
import type { EvalReport, EvalSummary, TaskReport } from "./eval-figure.ts";
import { revisionLabel } from "./eval-figure.ts";

export interface EvalRunsProps {
  readonly id: string;
  readonly summary: EvalSummary;
  readonly onClose: () => void;
}

/** The runs or queries behind a result, failures first. */
export function EvalRuns({ id, summary, onClose }: EvalRunsProps) {
  const params = { id, report: summary.id };
  const { data, error } = useApi("GET /v1/skills/{id}/evals/{report}", { params });
  return (
    <Dialog isOpen onClose={onClose} title={`Evals of ${id} ${revisionLabel(summary)}`} isWide>
      <div className="space-y-3 text-sm">
        {summary.notes.map((note) => (
          <p key={note} className="text-muted">
            {note}
          </p>
        ))}
        {error !== null && <Failure error={error} />}
        {error === null && data === undefined && <SkeletonRows count={3} />}
        {data !== undefined && <Report report={data.report} />}
      </div>
    </Dialog>
  );
}

function Report({ report }: { readonly report: EvalReport }) {
  if (report.kind === "tasks") return <Trials trials={report.trials} />;
  const rows = report.kind === "offline" ? report.queries.map(offlineRow) : report.queries.map(agentRow);
  return (
    <ul className="divide-y divide-line">
      {rows.toSorted(failuresFirst).map(({ query, shouldTrigger, isRight, text }) => (
        <li key={`${query} ${shouldTrigger}`} className="space-y-1 py-2">
          <p className="flex flex-wrap items-center gap-2">
            <Badge tone={isRight === undefined ? "neutral" : isRight ? "good" : "bad"}>
              {isRight === undefined ? "unknown" : isRight ? "right" : "wrong"}
            </Badge>
            <span className="min-w-0 flex-1 break-words">{query}</span>
          </p>
          <p className="text-xs break-words text-muted">
            {shouldTrigger ? "Should trigger." : "Should not trigger."} {text}
          </p>
        </li>
      ))}
    </ul>
  );
}

interface QueryRow {
  readonly query: string;
  readonly shouldTrigger: boolean;
  readonly isRight: boolean | undefined;
  readonly text: string;
}

type OfflineQuery = Extract<EvalReport, { readonly kind: "offline" }>["queries"][number];
type AgentQuery = Extract<EvalReport, { readonly kind: "triggers" }>["queries"][number];

function offlineRow({ query, shouldTrigger, rank, rival }: OfflineQuery): QueryRow {
  const place = rank === undefined ? "Search does not find the skill." : `Ranked ${rank}.`;
  const words = rival === undefined || rival.words.length === 0 ? "" : ` on ${rival.words.join(", ")}`;
  const other = rival === undefined || rank === 1 ? "" : ` ${rival.skill} is first${words}.`;
  return { query, shouldTrigger, isRight: (rank === 1) === shouldTrigger, text: `${place}${other}` };
}

function agentRow({ query, shouldTrigger, rate, isRight, instead }: AgentQuery): QueryRow {
  const runs =
    rate === undefined ? "No run has a verdict." : `Triggered in ${Math.round(rate * 100)} % of runs.`;
  const others = instead.map(({ skill, times }) => `${skill} (${times}×)`).join(", ");
  return {
    query,
    shouldTrigger,
    isRight,
    text: others === "" ? runs : `${runs} Agents read ${others} instead.`,
  };
}

function failuresFirst(a: QueryRow, b: QueryRow): number {
  return Number(a.isRight ?? false) - Number(b.isRight ?? false);
}

function Trials({ trials }: Pick<TaskReport, "trials">) {
  const ordered = trials.toSorted((a, b) => (a.passRate ?? -1) - (b.passRate ?? -1));
  return (
    <ul className="divide-y divide-line">
      {ordered.map((trial) => (
        <li key={`${trial.caseId} ${trial.arm} ${trial.run}`} className="py-2">
          <details>
            <summary className="flex cursor-pointer flex-wrap items-center gap-2">
              <Badge tone={toneOf(trial)}>{wordOf(trial)}</Badge>
              <span className="font-medium break-words">{trial.caseId}</span>
              <span className="text-muted">
                {trial.arm.replace("_", " ")}, run {trial.run}
              </span>
            </summary>
            <div className="space-y-2 pt-2">
              {trial.message !== undefined && <p className="break-words text-bad">{trial.message}</p>}
              <ul className="space-y-1">
                {trial.grades.map(({ text, verdict, evidence }) => (
                  <li key={text} className="flex flex-wrap gap-2">
                    <Badge tone={verdict === "pass" ? "good" : verdict === "fail" ? "bad" : "neutral"}>
                      {verdict}
                    </Badge>
                    <span className="min-w-0 flex-1 break-words">
                      {text}
                      {evidence !== "" && <span className="text-muted"> {evidence}</span>}
                    </span>
                  </li>
                ))}
              </ul>
              <pre className="max-h-64 overflow-auto rounded bg-raised px-2 py-1 text-xs whitespace-pre-wrap">
                {trial.output}
              </pre>
            </div>
          </details>
        </li>
      ))}
    </ul>
  );
}

type Trial = TaskReport["trials"][number];

function toneOf({ outcome, passRate }: Trial): Tone {
  if (outcome !== "done" || passRate === undefined) return "neutral";
  return passRate === 1 ? "good" : "bad";
}

function wordOf({ outcome, passRate }: Trial): string {
  if (outcome !== "done") return outcome;
  if (passRate === undefined) return "not graded";
  return passRate === 1 ? "passed" : "failed";
}
