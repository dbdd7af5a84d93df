import type { SkillRow } from "@skillhold/protocol/http";
import { Dot } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { type HealthRow, healthTable } from "./health.ts";
import { LeftOut } from "./left-out.tsx";

export interface HealthCardsProps {
  readonly rows: readonly SkillRow[];
  readonly chosen: string | null;
  /** Called with an empty string when the user deselects the chosen card. */
  readonly onChoose: (health: string) => void;
}

/** The number of skills per health state; choosing a card filters the list by it. */
export function HealthCards({ rows, chosen, onChoose }: HealthCardsProps) {
  return (
    <div className="grid grid-cols-2 gap-2 px-4 pb-4 lg:auto-cols-fr lg:grid-flow-col lg:grid-cols-none">
      {Object.entries<HealthRow>(healthTable).map(([health, { title, about, tone, fits }]) => {
        const number = rows.filter(fits).length;
        const isChosen = chosen === health;
        return (
          <button
            key={health}
            type="button"
            title={about}
            aria-pressed={isChosen}
            onClick={() => onChoose(isChosen ? "" : health)}
            className={classNames(
              "flex flex-col justify-between rounded-lg border bg-panel px-3 py-2 text-left transition-colors hover:border-line-strong",
              isChosen ? "border-accent" : "border-line",
            )}
          >
            <span className="flex items-center gap-2 text-xs text-muted">
              <Dot tone={number === 0 ? "neutral" : tone} />
              {title}
            </span>
            <span className="text-lg font-semibold tabular-nums">{number}</span>
          </button>
        );
      })}
      <LeftOut />
    </div>
  );
}
