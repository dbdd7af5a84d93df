import { type SkillTab, tabsFor } from "../skill-tab.ts";
import type { SkillDetail } from "../skill-view.ts";

export interface SkillWarning {
  readonly text: string;
  /** Where there is more about it. */
  readonly tab?: SkillTab;
}

type Warned = Pick<SkillDetail, "entry" | "registry" | "access">;

/** The problems that a user should know before using a skill, without duplicates. */
export function warningsOf({ entry, registry, access }: Warned): readonly SkillWarning[] {
  const missing = registry?.missing ?? [];
  const tabs = tabsFor({ registry });
  const errors = entry.diagnostics.filter(({ severity }) => severity === "error").length;
  const warnings = entry.diagnostics.filter(({ severity }) => severity === "warning").length;
  const found: SkillWarning[] = [];
  if (!access.isVisible) found.push({ text: access.message, tab: "access" });
  if (registry?.status === "archived" && registry.reason !== "deps" && access.isVisible)
    found.push({ text: `It is archived${registry.reason === undefined ? "" : `: ${registry.reason}`}.` });
  if (missing.length > 0)
    found.push({ text: `Missing on this machine: ${missing.join(", ")}.`, tab: "dependencies" });
  if (entry.readiness.state !== "ready" && missing.length === 0)
    for (const reason of entry.readiness.reasons) found.push({ text: reason, tab: "dependencies" });
  if (missing.length === 0) for (const text of access.warnings) found.push({ text });
  if (errors + warnings > 0)
    found.push({ text: `Its SKILL.md has ${findings(errors, warnings)}.`, tab: "validation" });
  // Of equal texts the first has the tab.
  const unique = found.filter(({ text }, at) => found.findIndex((each) => each.text === text) === at);
  return unique.map((each) =>
    each.tab === undefined || tabs.includes(each.tab) ? each : { text: each.text },
  );
}

function findings(errors: number, warnings: number): string {
  const parts = [
    ...(errors > 0 ? [`${errors} ${errors === 1 ? "error" : "errors"}`] : []),
    ...(warnings > 0 ? [`${warnings} ${warnings === 1 ? "warning" : "warnings"}`] : []),
  ];
  return parts.join(" and ");
}
