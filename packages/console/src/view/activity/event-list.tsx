import { ChevronRight } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import { Link } from "wouter";
import { Dot } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { ScrollText } from "../../ui/scroll-text.tsx";
import { useRowKeys } from "../skills/use-row-keys.ts";
import { byDay } from "./day.ts";
import { type EventLine, lineOf, namesIn, sessionOf, skillOf } from "./event-line.ts";
import type { Entry } from "./use-record.ts";

/** Events grouped by day; each one expands to its recorded details. */
export function EventList({ entries }: { readonly entries: readonly Entry[] }) {
  const names = useMemo(() => namesIn(entries), [entries]);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const toggle = (seq: number | undefined) => {
    if (seq === undefined) return;
    const next = new Set(open);
    if (!next.delete(seq)) next.add(seq);
    setOpen(next);
  };
  const at = useRowKeys(entries.length, {
    onMove: (to) => document.getElementById(idOf(entries[to]))?.scrollIntoView({ block: "nearest" }),
    onOpen: (which) => toggle(entries[which]?.seq),
    onChoose: (which) => toggle(entries[which]?.seq),
  });
  const current = at === undefined ? undefined : entries[at]?.seq;
  return byDay(entries, ({ event }) => event.at, new Date()).map(({ day, items }) => (
    <section key={day} aria-label={day}>
      <h2 className="border-b border-line bg-raised px-4 py-1.5 text-xs font-medium text-muted">{day}</h2>
      <ol className="divide-y divide-line">
        {items.map((entry) => (
          <li
            key={entry.seq}
            id={idOf(entry)}
            className={classNames("scroll-my-16", entry.seq === current && "bg-raised")}
          >
            <EventRow
              entry={entry}
              line={lineOf(entry.event, names)}
              isOpen={open.has(entry.seq)}
              onToggle={() => toggle(entry.seq)}
            />
          </li>
        ))}
      </ol>
    </section>
  ));
}

function idOf(entry: Entry | undefined): string {
  return `event-${entry?.seq}`;
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
        <span className="flex items-baseline gap-3 text-xs text-muted">
          {session !== undefined && (
            <Link
              href={`/activity/${encodeURIComponent(session)}`}
              title={`Session ${session}`}
              className="hidden font-mono hover:text-ink hover:underline sm:inline"
            >
              {session.slice(0, 8)}
            </Link>
          )}
          <time dateTime={event.at} title={event.at} className="tabular-nums">
            {timeOf(event.at)}
          </time>
        </span>
      </div>
      {isOpen && (
        <div className="space-y-2 px-4 pt-1 pb-3 sm:pl-12">
          {session !== undefined && (
            <Link
              href={`/activity/${encodeURIComponent(session)}`}
              className="text-sm text-accent hover:underline"
            >
              Open session
            </Link>
          )}
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
      <Link
        href={`/skills/${encodeURIComponent(skill)}`}
        className="underline decoration-line-strong hover:decoration-ink"
      >
        {skill}
      </Link>
      {text.slice(at + skill.length)}
    </>
  );
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

function timeOf(at: string): string {
  return clock.format(new Date(at));
}
