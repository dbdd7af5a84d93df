import { Link } from "wouter";

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
