import type { Answer } from "../../api/client.ts";

export type MapAnswer = Answer<"GET /v1/map">;
export type MapAgent = MapAnswer["agents"][number];

/** Which pairs of an agent and a skill are shown. */
export const relations = {
  all: "All",
  used: "Used",
  unused: "Granted, not used",
  lost: "Used, no longer allowed",
} as const;
export type Relation = keyof typeof relations;

export interface Cell {
  readonly mayUse: boolean;
  readonly uses: number;
}

export interface SkillMapRow {
  readonly skill: string;
  /** One per agent, in their order. */
  readonly cells: readonly Cell[];
}

export interface MapFilter {
  readonly words: string;
  readonly agent: string;
  readonly relation: Relation;
}

export interface SkillMap {
  readonly agents: readonly MapAgent[];
  readonly rows: readonly SkillMapRow[];
}

export function isRelation(text: string): text is Relation {
  return Object.hasOwn(relations, text);
}

/** The agents and skills that a filter leaves. With a relation, skills without such a pair are left out. */
export function mapOf({ skills, agents }: MapAnswer, { words, agent, relation }: MapFilter): SkillMap {
  const wanted = words.trim().toLowerCase();
  const shown = agent === "" ? agents : agents.filter(({ key }) => key === agent);
  const columns = shown.map(({ may, used }) => ({
    may: new Set(may),
    used: new Map(used.map(([skill, uses]) => [skill, uses])),
  }));
  const rows = skills.flatMap((skill, index): readonly SkillMapRow[] => {
    if (!skill.toLowerCase().includes(wanted)) return [];
    const cells = columns.map(({ may, used }) => ({ mayUse: may.has(index), uses: used.get(index) ?? 0 }));
    return relation === "all" || cells.some((cell) => fits(cell, relation)) ? [{ skill, cells }] : [];
  });
  return { agents: shown, rows };
}

export function fits({ mayUse, uses }: Cell, relation: Relation): boolean {
  switch (relation) {
    case "all":
      return mayUse || uses > 0;
    case "used":
      return uses > 0;
    case "unused":
      return mayUse && uses === 0;
    case "lost":
      return !mayUse && uses > 0;
  }
}

/** A cell in words. */
export function textOf({ mayUse, uses }: Cell): string {
  const used = uses === 0 ? "not used" : `used ${uses.toLocaleString("en")} ${uses === 1 ? "time" : "times"}`;
  if (mayUse) return `may use it, ${used}`;
  return uses === 0 ? "no access" : `no access now, ${used}`;
}
