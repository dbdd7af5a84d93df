import type { SkillRow } from "@skillhold/protocol/http";
import { Download } from "lucide-react";
import { Link } from "wouter";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Panel } from "../../ui/page.tsx";
import { SkillBadges } from "../../ui/skill-badge.tsx";
import type { Installs } from "./use-installs.ts";

export interface SkillPanelProps {
  readonly rows: readonly SkillRow[];
  readonly installs: Installs;
  readonly isAdmin: boolean;
}

/** The skills with missing dependencies, and what each one lacks. */
export function SkillPanel({ rows, installs, isAdmin }: SkillPanelProps) {
  return (
    <Panel title="Skills with missing dependencies">
      <ul className="divide-y divide-line">
        {rows.map((row) => {
          const { entry, registry } = row;
          const missing = registry?.missing ?? [];
          return (
            <li key={entry.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-sm">
              <div className="min-w-0 flex-1 basis-52 space-y-1">
                <div className="flex flex-wrap items-center gap-2">
                  <Link href={`/skills/${entry.id}/dependencies`} className="font-medium hover:underline">
                    {entry.id}
                  </Link>
                  <SkillBadges row={row} />
                </div>
                <p className="flex flex-wrap gap-1">
                  {missing.map((need) => (
                    <Badge key={need}>{need}</Badge>
                  ))}
                  {missing.length === 0 && (
                    <span className="break-words text-muted">{entry.readiness.reasons.join("; ")}</span>
                  )}
                </p>
              </div>
              {isAdmin && missing.length > 0 && (
                <Button
                  icon={Download}
                  disabled={installs.isBusy}
                  aria-label={`Install all for ${entry.id}`}
                  onClick={() => installs.all(entry.id)}
                >
                  Install all
                </Button>
              )}
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
