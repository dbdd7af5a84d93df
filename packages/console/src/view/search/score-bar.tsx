import { partsOf, type ScorePart } from "./score-part.ts";

export interface ScoreBarProps {
  readonly score: number;
  /** Of the first hit: bars of one query can be compared. */
  readonly best: number;
  readonly parts: Readonly<Record<string, number>>;
}

const colours: Readonly<Record<ScorePart["name"], string>> = {
  keywords: "bg-accent",
  coverage: "bg-info",
  name: "bg-good",
  similarity: "bg-warn",
  other: "bg-faint",
};

/** The score of a skill and its parts. */
export function ScoreBar({ score, best, parts }: ScoreBarProps) {
  const told = partsOf(score, parts);
  return (
    <div className="space-y-1">
      <p className="font-mono text-xs tabular-nums" title="Scores compare within one query only">
        {score.toFixed(3)}
      </p>
      <div aria-hidden className="flex h-1.5 overflow-hidden rounded-full bg-raised">
        {told.map(({ name, share }) => (
          <span
            key={name}
            className={colours[name]}
            style={{ width: `${Math.min(100, (share / Math.max(best, 1e-9)) * 100)}%` }}
          />
        ))}
      </div>
      <ul className="flex flex-wrap gap-x-2 text-xs text-muted">
        {told.map(({ name, about, share }) => (
          <li key={name} title={about} className="inline-flex items-center gap-1 whitespace-nowrap">
            <span aria-hidden className={`size-1.5 rounded-full ${colours[name]}`} />
            {name} <span className="tabular-nums">{share.toFixed(2)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
