import { ChevronRight } from "lucide-react";
import { Suspense, useState } from "react";
import { part } from "../../renewal.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Skeleton } from "../../ui/state.tsx";
import { count } from "../../ui/text.tsx";
import type { Change } from "./parcel.ts";

const ChangeDiff = part(async () => (await import("./change-diff.tsx")).ChangeDiff);

const words: Readonly<Record<Change["change"], readonly [string, Tone]>> = {
  added: ["added", "good"],
  removed: ["removed", "bad"],
  changed: ["changed", "info"],
  mode: ["exec bit", "warn"],
};

export interface ChangeListProps {
  readonly id: string;
  readonly folder: string;
  readonly changes: readonly Change[];
  readonly parcel: number;
}

/** Which files differ from the current revision, and how. */
export function ChangeList({ changes, ...place }: ChangeListProps) {
  return (
    <details open={changes.length <= 12}>
      <summary className="text-sm text-muted hover:text-ink">
        {count(changes.length, "file")} {changes.length === 1 ? "differs" : "differ"} from the current
        revision
      </summary>
      <ul className="mt-2 max-h-128 divide-y divide-line overflow-y-auto rounded-md border border-line">
        {changes.map((change) => (
          <li key={change.path}>
            <ChangeRow change={change} {...place} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function ChangeRow({ change, ...place }: Omit<ChangeListProps, "changes"> & { readonly change: Change }) {
  const [isOpen, setOpen] = useState(false);
  const [word, tone] = words[change.change];
  const name = (
    <>
      <span className="w-18 shrink-0">
        <Badge tone={tone}>{word}</Badge>
      </span>
      <span className="min-w-0 font-mono text-xs break-all">{change.path}</span>
    </>
  );
  if (change.change === "mode") return <div className="flex items-center gap-3 px-3 py-1.5 pl-8">{name}</div>;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)} className="group">
      <summary className="flex items-center gap-3 px-3 py-1.5 hover:bg-raised">
        <ChevronRight
          className="-mr-1 size-3 shrink-0 text-faint transition-transform group-open:rotate-90"
          aria-hidden
        />
        {name}
      </summary>
      {isOpen && (
        <Suspense fallback={<Skeleton className="m-3 h-12" />}>
          <ChangeDiff {...place} change={change} />
        </Suspense>
      )}
    </details>
  );
}
