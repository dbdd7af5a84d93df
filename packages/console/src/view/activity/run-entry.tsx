import { ChevronRight } from "lucide-react";
import { Badge, Dot } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { sentenceOf } from "../../ui/event-sentence.ts";
import { ScrollText } from "../../ui/scroll-text.tsx";
import { RowTime, SessionLink, SkillLink } from "./row-part.tsx";
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
  return (
    <>
      <div className="grid grid-cols-[auto_auto_minmax(0,1fr)_auto] items-baseline gap-x-2.5 px-4 py-1.5 text-sm">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={`Run of ${run.title}, ${run.note}`}
          onClick={onToggle}
          className="self-start rounded pt-0.5 text-faint hover:text-ink"
        >
          <ChevronRight
            className={classNames("size-4 transition-transform", isOpen && "rotate-90")}
            aria-hidden
          />
        </button>
        <Dot tone={run.tone} />
        <p className="min-w-0 break-words">
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
        </p>
        <RowTime at={at} session={session} />
      </div>
      {isOpen && (
        <div className="space-y-2 px-4 pt-1 pb-3 sm:pl-12">
          {session !== undefined && <SessionLink session={session} />}
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
        </div>
      )}
    </>
  );
}

function stepText(event: RunSummary["entries"][number]["event"]): string {
  const { text, who } = sentenceOf(event);
  const said = who === undefined || event.type === "run.approved" ? text : `${who} ${text}`;
  return said.charAt(0).toUpperCase() + said.slice(1);
}
