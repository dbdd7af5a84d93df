import { Link } from "wouter";
import type { Answer } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { TrustBadge } from "../../ui/skill-badge.tsx";
import { Marked } from "./marked.tsx";
import { ScoreBar } from "./score-bar.tsx";

export type Hit = Answer<"GET /v1/skills/search">["hits"][number];

export interface HitRowProps {
  readonly place: number;
  readonly hit: Hit;
  /** The score of the first. */
  readonly best: number;
}

/** A skill that was found: how well it fits, by which words, and where they stand. */
export function HitRow({ place, hit: { row, hit, snippet }, best }: HitRowProps) {
  return (
    <li className="grid grid-cols-[1.5rem_minmax(0,1fr)] gap-x-3 gap-y-1 px-4 py-3 @xl:grid-cols-[1.5rem_minmax(0,1fr)_13rem]">
      <span className="text-sm text-faint tabular-nums">{place}</span>
      <div className="min-w-0 space-y-1">
        <div className="flex flex-wrap items-center gap-2">
          <Link href={`/skills/${row.entry.id}`} className="font-medium break-all hover:underline">
            {row.entry.id}
          </Link>
          <TrustBadge trust={row.entry.trust} />
          {hit.isWeak && (
            <Badge tone="warn" title="Matches too little of the query to be suggested">
              weak
            </Badge>
          )}
        </div>
        <p className="text-sm break-words text-muted">
          <Marked text={snippet === "" ? row.entry.description : snippet} words={hit.matched} />
        </p>
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
          {hit.matched.length > 0 && <span>matched {hit.matched.join(", ")}</span>}
          {hit.fields.length > 0 && <span>in {hit.fields.join(", ")}</span>}
          {hit.copies.length > 0 && <span>same as {hit.copies.join(", ")}</span>}
        </p>
      </div>
      <div className="col-start-2 @xl:col-start-3">
        <ScoreBar score={hit.score} best={best} parts={hit.parts} />
      </div>
    </li>
  );
}
