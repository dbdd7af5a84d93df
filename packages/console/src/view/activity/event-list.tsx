import { type ReactNode, useMemo, useState } from "react";
import { classNames } from "../../ui/class-names.ts";
import { ScrollText } from "../../ui/scroll-text.tsx";
import { useRowKeys } from "../skills/use-row-keys.ts";
import { byDay } from "./day.ts";
import { type EventLine, lineOf, namesIn, sessionOf, skillOf } from "./event-line.ts";
import { ExpandableRow, SkillLink } from "./row-part.tsx";
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
  return (
    <ExpandableRow
      label={`Entry ${seq}, ${event.type}`}
      tone={line.tone}
      sentence={<Sentence line={line} skill={skillOf(event)} />}
      at={event.at}
      session={sessionOf(event)}
      isOpen={isOpen}
      onToggle={onToggle}
    >
      <ScrollText
        label={`Raw entry ${seq}`}
        text={JSON.stringify({ seq, ...event }, null, 2)}
        className="max-h-96"
      />
    </ExpandableRow>
  );
}

/** The line, in which the skill leads to its page. */
function Sentence({ line, skill }: { readonly line: EventLine; readonly skill: string | undefined }) {
  return (
    <>
      {line.who !== undefined && <span className="font-medium">{line.who} </span>}
      {withLink(line.text, skill)}
      {line.by !== undefined && <span className="text-muted"> · {line.by}</span>}
    </>
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
