import type { SkillRow } from "@skillhold/protocol/http";
import type { Tone } from "../../ui/badge.tsx";

/** What can be the matter with a skill, in the order of how soon someone should look. */
export const healthTable = {
  attention: {
    title: "Needs attention",
    tone: "warn",
    about: "Switched on, and not ready to be used",
    fits: (row) => isOn(row) && (row.entry.readiness.state !== "ready" || row.access.warnings.length > 0),
  },
  missing: {
    title: "Missing dependencies",
    tone: "bad",
    about: "Something they need is not on this machine",
    fits: ({ registry }) => (registry?.missing.length ?? 0) > 0,
  },
  disabled: {
    title: "Disabled",
    tone: "neutral",
    about: "Switched off for everyone",
    fits: ({ registry, access }) => registry?.enabled === false || access.reason === "disabled",
  },
  archived: {
    title: "Archived",
    tone: "neutral",
    about: "Put away, by someone or for what they miss",
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

function isOn({ registry }: SkillRow): boolean {
  return registry === undefined || (registry.enabled && registry.status === "active");
}
