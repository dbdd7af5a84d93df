import type { SkillDetail } from "./skill-view.ts";

export const skillTabs = [
  "overview",
  "files",
  "versions",
  "access",
  "dependencies",
  "security",
  "evals",
  "proposals",
  "activity",
  "validation",
] as const;
export type SkillTab = (typeof skillTabs)[number];

/** The tab that the address names after the skill's id; undefined for an unknown tab. */
export function tabOf(rest: string): SkillTab | undefined {
  const [name = ""] = rest.split("/");
  return name === "" ? "overview" : skillTabs.find((tab) => tab === name);
}

export function hrefOf(id: string, tab: SkillTab): string {
  return tab === "overview" ? `/skills/${id}` : `/skills/${id}/${tab}`;
}

type Known = { readonly registry?: Pick<NonNullable<SkillDetail["registry"]>, "status"> | undefined };

/** Tabs about published content; a skill in a folder has none. */
const published: ReadonlySet<SkillTab> = new Set(["versions", "access", "security", "evals"]);

/** A deleted skill cannot be used, so access and dependencies are hidden. */
export function tabsFor({ registry }: Known): readonly SkillTab[] {
  if (registry === undefined) return skillTabs.filter((tab) => !published.has(tab));
  if (registry.status !== "deleted") return skillTabs;
  return skillTabs.filter((tab) => tab !== "access" && tab !== "dependencies");
}

export function titleOf(tab: SkillTab): string {
  return tab.charAt(0).toUpperCase() + tab.slice(1);
}
