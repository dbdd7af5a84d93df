import { GitCompare } from "lucide-react";
import { Link } from "wouter";
import { Mono, shortHash } from "../../ui/text.tsx";
import type { Drift } from "./replay.ts";

/** Lists the skills whose content has changed since the session. */
export function DriftNote({ drift }: { readonly drift: readonly Drift[] }) {
  if (drift.length === 0) return null;
  return (
    <section
      aria-label="Changed since this session"
      className="mx-4 mb-4 flex gap-3 rounded-lg border border-line bg-warn-soft px-4 py-3 text-sm"
    >
      <GitCompare className="mt-0.5 size-4 shrink-0 text-warn" aria-hidden />
      <div className="min-w-0 space-y-1">
        <p className="font-medium text-warn">Some skills have changed since this session</p>
        <ul className="space-y-1">
          {drift.map(({ skill, used, now }) => (
            <li key={`${skill} ${used}`} className="break-words">
              <Link href={`/skills/${encodeURIComponent(skill)}/versions`} className="font-medium underline">
                {skill}
              </Link>{" "}
              was <Mono>{shortHash(used)}</Mono>
              {now === undefined ? (
                " and is no longer in the registry"
              ) : (
                <>
                  , and is <Mono>{shortHash(now)}</Mono> today
                </>
              )}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
