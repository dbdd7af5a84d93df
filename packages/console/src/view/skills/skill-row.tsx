import type { SkillRow } from "@skillhold/protocol/http";
import { Link } from "wouter";
import { classNames } from "../../ui/class-names.ts";
import { Switch } from "../../ui/field.tsx";
import { SkillBadges, TrustBadge } from "../../ui/skill-badge.tsx";
import { Ago, count } from "../../ui/text.tsx";

export interface SkillRowProps {
  readonly row: SkillRow;
  readonly isCurrent: boolean;
  readonly isChosen: boolean;
  /** The search score. */
  readonly score: number | undefined;
  readonly uses: number;
  /** Undefined when the user may not act on the skill. */
  readonly onChoose: ((isChosen: boolean) => void) | undefined;
  /** Undefined when the user may not enable or disable the skill. */
  readonly onToggle: ((enabled: boolean) => void) | undefined;
}

/** One skill in the list. */
export function SkillListRow({ row, isCurrent, isChosen, score, uses, onChoose, onToggle }: SkillRowProps) {
  const { entry, registry, access } = row;
  return (
    <div
      data-row
      className={classNames(
        "grid grid-cols-[auto_auto_minmax(0,1fr)_auto] items-center gap-3 border-b border-line px-4 py-2.5",
        isChosen ? "bg-accent-soft" : isCurrent && "bg-raised",
        isCurrent && "shadow-[inset_2px_0_0_var(--accent)]",
      )}
    >
      {onChoose === undefined ? (
        <span />
      ) : (
        <input
          type="checkbox"
          aria-label={`Select ${entry.id}`}
          checked={isChosen}
          onChange={({ target }) => onChoose(target.checked)}
          className="size-3.5 accent-(--accent)"
        />
      )}
      <span
        aria-hidden
        className="flex size-8 items-center justify-center rounded-md border border-line bg-raised text-base font-medium text-muted"
      >
        {entry.emoji ?? entry.id.charAt(0).toUpperCase()}
      </span>
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link href={`/skills/${entry.id}`} className="truncate font-medium hover:underline">
            {entry.id}
          </Link>
          <TrustBadge trust={entry.trust} />
          <SkillBadges row={row} />
          {score !== undefined && (
            <span className="font-mono text-xs text-faint tabular-nums" title="Search score">
              {score.toFixed(2)}
            </span>
          )}
        </div>
        <p className="truncate text-sm text-muted">{entry.description}</p>
      </div>
      <div className="flex items-center gap-4 text-xs text-muted">
        <span className="hidden w-16 text-right tabular-nums sm:inline" title="Times an agent loaded it">
          {uses > 0 ? count(uses, "use") : ""}
        </span>
        <span className="hidden w-10 text-right tabular-nums md:inline" title="Current revision">
          {entry.revision === undefined ? "" : `r${entry.revision}`}
        </span>
        <span className="hidden w-20 text-right lg:inline">
          <Ago at={registry?.updatedAt ?? entry.lastModified} />
        </span>
        {onToggle !== undefined && (
          <Switch
            isOn={registry?.enabled ?? access.reason !== "disabled"}
            label={`${entry.id} is enabled`}
            onChange={onToggle}
          />
        )}
      </div>
    </div>
  );
}
