import { useApi } from "../../api/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Panel } from "../../ui/page.tsx";
import { count } from "../../ui/text.tsx";
import { percent } from "../skill/evals/eval-figure.ts";

/** Whether agents would find the skill after the change, and whether it helps. Absent when neither was measured. */
export function ProposalEvals({ id }: { readonly id: string }) {
  const { data } = useApi("GET /v1/proposals/{proposal}/evals", { params: { proposal: id } });
  if (data === undefined) return null;
  const { triggers, before, after } = data;
  const kinds = [...new Set([...before, ...after].map(({ kind }) => kind))].filter(
    (kind) => kind !== "offline",
  );
  if (triggers === undefined && kinds.length === 0) return null;
  const rates = (kind: string, list: typeof before) => {
    const found = list.find((each) => each.kind === kind);
    return percent(kind === "tasks" ? found?.arms?.[0]?.passed : found?.recall);
  };
  return (
    <Panel title="Evals">
      <dl className="divide-y divide-line text-sm">
        {triggers !== undefined && (
          <Row
            name="Ranked first by search"
            before={percent(triggers.before)}
            after={percent(triggers.after)}
            note={`among ${count(triggers.others, "other skill")}`}
          />
        )}
        {kinds.map((kind) => (
          <Row
            key={kind}
            name={kind === "tasks" ? "Tasks passed" : "Triggered by agents"}
            before={rates(kind, before)}
            after={rates(kind, after)}
          />
        ))}
      </dl>
      {triggers !== undefined && triggers.moved.length > 0 && (
        <ul aria-label="Queries that moved" className="divide-y divide-line border-t border-line text-sm">
          {triggers.moved.map(({ query, shouldTrigger, before: from, after: to }) => (
            <li key={`${query} ${shouldTrigger}`} className="flex flex-wrap items-center gap-2 px-4 py-2">
              <Badge tone={isBetter(shouldTrigger, from, to) ? "good" : "bad"}>
                {from ?? "not found"} → {to ?? "not found"}
              </Badge>
              <span className="min-w-0 flex-1 break-words">{query}</span>
              {!shouldTrigger && <span className="text-xs text-muted">should not trigger</span>}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function isBetter(shouldTrigger: boolean, before = Infinity, after = Infinity): boolean {
  return shouldTrigger ? after < before : after > before;
}

interface RowProps {
  readonly name: string;
  readonly before: string;
  readonly after: string;
  readonly note?: string;
}

function Row({ name, before, after, note }: RowProps) {
  return (
    <div className="flex flex-wrap justify-between gap-x-4 gap-y-1 px-4 py-2.5">
      <dt>
        {name}
        {note !== undefined && <span className="text-muted"> {note}</span>}
      </dt>
      <dd className="tabular-nums">
        {before} → {after}
      </dd>
    </div>
  );
}
