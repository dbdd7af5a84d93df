import { Badge, Dot } from "../../ui/badge.tsx";
import { sentenceOf } from "../../ui/event-sentence.ts";
import { ScrollText } from "../../ui/scroll-text.tsx";
import { ExpandableRow, RowTime, SkillLink } from "./row-part.tsx";
import type { RunSummary } from "./run-row.ts";

export interface RunEntryProps {
  readonly run: RunSummary;
  readonly at: string;
  readonly session: string | undefined;
  /** The agent or person of the session. */
  readonly who: string | undefined;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** A whole run in one row, which opens to its steps. */
export function RunEntry({ run, at, session, who, isOpen, onToggle }: RunEntryProps) {
  const verb = run.act === "install" ? "installed dependencies" : run.hasStarted ? "ran" : "asked to run";
  const sentence = (
    <>
      {who === undefined ? `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ` : null}
      {who !== undefined && <span className="font-medium">{who} </span>}
      {who !== undefined && `${verb} `}
      {run.act === "run" && run.title}
      {run.skill !== undefined && (
        <>
          {run.act === "run" ? " of " : "for "}
          <SkillLink skill={run.skill} />
        </>
      )}{" "}
      <Badge tone={run.tone}>{run.note}</Badge>
    </>
  );
  return (
    <ExpandableRow
      label={`Run of ${run.title}, ${run.note}`}
      tone={run.tone}
      sentence={sentence}
      at={at}
      session={session}
      isOpen={isOpen}
      onToggle={onToggle}
    >
      <ol aria-label={`Steps of ${run.title}`} className="space-y-1 text-sm">
        {run.entries.map(({ seq, event }) => (
          <li key={seq} className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-baseline gap-2">
            <Dot tone={sentenceOf(event).tone} />
            <span className="break-words">{stepText(event)}</span>
            <RowTime at={event.at} session={undefined} />
          </li>
        ))}
      </ol>
      <details>
        <summary className="text-sm text-muted">Raw entries</summary>
        <ScrollText
          label={`Raw entries of ${run.title}`}
          className="mt-2 max-h-96"
          text={JSON.stringify(
            run.entries.map(({ seq, event }) => ({ seq, ...event })),
            null,
            2,
          )}
        />
      </details>
    </ExpandableRow>
  );
}

function stepText(event: RunSummary["entries"][number]["event"]): string {
  const { text, who } = sentenceOf(event);
  const said = who === undefined || event.type === "run.approved" ? text : `${who} ${text}`;
  return said.charAt(0).toUpperCase() + said.slice(1);
}
