import type { SkillRow } from "@skillhold/protocol/http";
import type { Tone } from "../../ui/badge.tsx";

/** What can be the matter with a skill, in the order of how soon someone should look. */
export const healthTable = {
  attention: {
    title: "Needs attention",
    tone: "warn",
    about: "Enabled, but not ready to use",
    fits: (row) =>
      isWanted(row) &&
      (row.entry.readiness.state !== "ready" || row.access.warnings.length > 0 || isLacking(row)),
  },
  missing: {
    title: "Missing dependencies",
    tone: "bad",
    about: "Something they depend on is not installed",
    fits: isLacking,
  },
  disabled: {
    title: "Disabled",
    tone: "neutral",
    about: "Turned off for everyone",
    fits: ({ registry, access }) => registry?.enabled === false || access.reason === "disabled",
  },
  archived: {
    title: "Archived",
    tone: "neutral",
    about: "Archived by someone, or because dependencies are missing",
    fits: ({ registry }) => registry?.status === "archived",
  },
} as const satisfies Record<string, HealthRow>;

export interface HealthRow {
  readonly title: string;
  readonly tone: Tone;
  readonly about: string;
  readonly fits: (row: SkillRow) => boolean;
}

export type Health = keyof typeof healthTable;

export function isHealth(text: string | null): text is Health {
  return text !== null && Object.hasOwn(healthTable, text);
}

/** Whether the skill is meant to be in use: one archived for missing dependencies returns once they are installed. */
function isWanted({ registry }: SkillRow): boolean {
  if (registry === undefined) return true;
  return registry.enabled && (registry.status === "active" || registry.reason === "deps");
}

function isLacking({ registry }: SkillRow): boolean {
  return (registry?.missing.length ?? 0) > 0;
}
