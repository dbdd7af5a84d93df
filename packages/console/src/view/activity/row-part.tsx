import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Dot, type Tone } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

export function RowTime({ at, session }: { readonly at: string; readonly session: string | undefined }) {
  return (
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
      <time dateTime={at} title={at} className="tabular-nums">
        {clock.format(new Date(at))}
      </time>
    </span>
  );
}

export function SessionLink({ session }: { readonly session: string }) {
  return (
    <Link href={`/activity/${encodeURIComponent(session)}`} className="text-sm text-accent hover:underline">
      Open session
    </Link>
  );
}

export function SkillLink({ skill }: { readonly skill: string }) {
  return (
    <Link
      href={`/skills/${encodeURIComponent(skill)}`}
      className="underline decoration-line-strong hover:decoration-ink"
    >
      {skill}
    </Link>
  );
}

export interface ExpandableRowProps {
  /** The name of the button. */
  readonly label: string;
  readonly tone: Tone;
  readonly sentence: ReactNode;
  readonly at: string;
  readonly session: string | undefined;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  /** The details of an open row. */
  readonly children: ReactNode;
}

/** One line of the record, which opens to its details. */
export function ExpandableRow(props: ExpandableRowProps) {
  const { label, tone, sentence, at, session, isOpen, onToggle, children } = props;
  return (
    <>
      <div className="grid grid-cols-[auto_auto_minmax(0,1fr)_auto] items-baseline gap-x-2.5 px-4 py-1.5 text-sm">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={label}
          onClick={onToggle}
          className="self-start rounded pt-0.5 text-faint hover:text-ink"
        >
          <ChevronRight
            className={classNames("size-4 transition-transform", isOpen && "rotate-90")}
            aria-hidden
          />
        </button>
        <Dot tone={tone} />
        <p className="min-w-0 break-words">{sentence}</p>
        <RowTime at={at} session={session} />
      </div>
      {isOpen && (
        <div className="space-y-2 px-4 pt-1 pb-3 sm:pl-12">
          {session !== undefined && <SessionLink session={session} />}
          {children}
        </div>
      )}
    </>
  );
}
