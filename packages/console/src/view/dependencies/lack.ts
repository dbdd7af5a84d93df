import type { SkillRow } from "@skillhold/protocol/http";

/** Something that is missing on the gateway's machine. */
export interface Lack {
  /** As the gateway names it: `pip:pypdf`, or a program's plain name. */
  readonly need: string;
  readonly manager: string;
  readonly name: string;
  /** The skills that need it. */
  readonly skills: readonly string[];
}

const order = ["pip", "npm", "system"];

/** All missing dependencies without duplicates, ordered by package manager. */
export function lacksOf(rows: readonly SkillRow[]): readonly Lack[] {
  const skills = new Map<string, string[]>();
  for (const { entry, registry } of rows)
    for (const need of registry?.missing ?? []) skills.set(need, [...(skills.get(need) ?? []), entry.id]);
  return [...skills]
    .map(([need, ids]) => ({ need, skills: ids, ...splitNeed(need) }))
    .toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name, "en"));
}

function splitNeed(need: string): Pick<Lack, "manager" | "name"> {
  const [, manager = "system", name = need] = /^(pip|npm):(.+)$/s.exec(need) ?? [];
  return { manager, name };
}

function rank({ manager }: Pick<Lack, "manager">): number {
  return order.indexOf(manager);
}

/** Skills with missing dependencies or other unmet requirements. */
export function lackingRows(rows: readonly SkillRow[]): readonly SkillRow[] {
  return rows.filter(
    ({ entry, registry }) => (registry?.missing ?? []).length > 0 || entry.readiness.state !== "ready",
  );
}
