import { ChevronRight } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import { Dot } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { ScrollText } from "../../ui/scroll-text.tsx";
import { useRowKeys } from "../skills/use-row-keys.ts";
import { byDay } from "./day.ts";
import { type EventLine, lineOf, namesIn, sessionOf, skillOf } from "./event-line.ts";
import { RowTime, SessionLink, SkillLink } from "./row-part.tsx";
import { RunEntry } from "./run-entry.tsx";
import { type RecordRow, rowsOf } from "./run-row.ts";
import type { Entry } from "./use-record.ts";

/** Events grouped by day, with those of a run in one row; each row expands to its recorded details. */
export function EventList({ entries }: { readonly entries: readonly Entry[] }) {
  const names = useMemo(() => namesIn(entries), [entries]);
  const rows = useMemo(() => rowsOf(entries), [entries]);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (row: RecordRow | undefined) => {
    if (row === undefined) return;
    const next = new Set(open);
    if (!next.delete(idOf(row))) next.add(idOf(row));
    setOpen(next);
  };
  const at = useRowKeys(rows.length, {
    onMove: (to) => document.getElementById(idOf(rows[to]))?.scrollIntoView({ block: "nearest" }),
    onOpen: (which) => toggle(rows[which]),
    onChoose: (which) => toggle(rows[which]),
  });
  const current = at === undefined ? undefined : rows[at];
  return byDay(rows, ({ entry }) => entry.event.at, new Date()).map(({ day, items }) => (
    <section key={day} aria-label={day}>
      <h2 className="border-b border-line bg-raised px-4 py-1.5 text-xs font-medium text-muted">{day}</h2>
      <ol className="divide-y divide-line">
        {items.map((row) => (
          <li
            key={idOf(row)}
            id={idOf(row)}
            className={classNames("scroll-my-16", row === current && "bg-raised")}
          >
            {row.run === undefined ? (
              <EventRow
                entry={row.entry}
                line={lineOf(row.entry.event, names)}
                isOpen={open.has(idOf(row))}
                onToggle={() => toggle(row)}
              />
            ) : (
              <RunEntry
                run={row.run}
                at={row.entry.event.at}
                session={sessionOf(row.entry.event)}
                who={names.get(sessionOf(row.entry.event) ?? "")}
                isOpen={open.has(idOf(row))}
                onToggle={() => toggle(row)}
              />
            )}
          </li>
        ))}
      </ol>
    </section>
  ));
}

/** A run keeps its id while its further events arrive, so that an open row stays open. */
function idOf(row: RecordRow | undefined): string {
  return row?.run === undefined ? `event-${row?.entry.seq}` : `run-${row.run.id}`;
}

interface EventRowProps {
  readonly entry: Entry;
  readonly line: EventLine;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function EventRow({ entry: { seq, event }, line, isOpen, onToggle }: EventRowProps) {
  const session = sessionOf(event);
  return (
    <>
      <div className="grid grid-cols-[auto_auto_minmax(0,1fr)_auto] items-baseline gap-x-2.5 px-4 py-1.5 text-sm">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={`Entry ${seq}, ${event.type}`}
          onClick={onToggle}
          className="self-start rounded pt-0.5 text-faint hover:text-ink"
        >
          <ChevronRight
            className={classNames("size-4 transition-transform", isOpen && "rotate-90")}
            aria-hidden
          />
        </button>
        <Dot tone={line.tone} />
        <Sentence line={line} skill={skillOf(event)} />
        <RowTime at={event.at} session={session} />
      </div>
      {isOpen && (
        <div className="space-y-2 px-4 pt-1 pb-3 sm:pl-12">
          {session !== undefined && <SessionLink session={session} />}
          <ScrollText
            label={`Raw entry ${seq}`}
            text={JSON.stringify({ seq, ...event }, null, 2)}
            className="max-h-96"
          />
        </div>
      )}
    </>
  );
}

/** The line, in which the skill leads to its page. */
function Sentence({ line, skill }: { readonly line: EventLine; readonly skill: string | undefined }) {
  return (
    <p className="min-w-0 break-words">
      {line.who !== undefined && <span className="font-medium">{line.who} </span>}
      {withLink(line.text, skill)}
      {line.by !== undefined && <span className="text-muted"> · {line.by}</span>}
    </p>
  );
}

function withLink(text: string, skill: string | undefined): ReactNode {
  const at = skill === undefined || skill === "" ? -1 : text.lastIndexOf(skill);
  if (skill === undefined || at < 0) return text;
  return (
    <>
      {text.slice(0, at)}
      <SkillLink skill={skill} />
      {text.slice(at + skill.length)}
    </>
  );
}
