import type { SkillEntry } from "@skillhold/protocol";
import { neutralText } from "../catalogue/index.ts";
import type { Library } from "../library/library.ts";
import type { Viewer } from "../library/viewer.ts";

export interface RequirementAdvice {
  readonly hints: readonly string[];
  readonly warnings: readonly string[];
}

/** How many skills are looked at for a circle; what lies behind more than these is nobody's design. */
const REACH = 100;

/**
 * What to say about the skills that a skill asks to be loaded first. Nothing is loaded: the reader decides, so
 * that what it spends stays in its hands.
 */
export async function adviseOnRequirements(
  entry: SkillEntry,
  active: ReadonlySet<string>,
  viewer: Viewer,
  library: Library,
): Promise<RequirementAdvice> {
  const wanted = [...new Set(entry.requiresSkills)];
  if (wanted.length === 0) return { hints: [], warnings: [] };
  const known = new Map<string, SkillEntry>();
  for (const id of wanted.slice(0, REACH)) {
    const found = await library.find(viewer, id);
    if (found !== undefined) known.set(id, found);
  }
  const unknown = wanted.filter((id) => !known.has(id));
  const missing = [...known.keys()].filter((id) => id !== entry.id && !active.has(id));
  const circle = await findCircle(entry, viewer, library);
  return {
    hints: missing.length === 0 ? [] : [requiresHint(missing)],
    warnings: [
      ...unknown.map((id) => `This skill requires ${neutralText(id, 64)}, which is not among your skills.`),
      ...(circle === undefined
        ? []
        : [`These skills require each other in a circle: ${circle.join(" → ")}.`]),
    ],
  };
}

function requiresHint(ids: readonly string[]): string {
  const them = ids.length === 1 ? "it" : "them";
  return `This skill requires: ${ids.join(", ")}. Load ${them} first if you haven't already.`;
}

/** The shortest way from a skill over its requirements back to itself. */
async function findCircle(
  entry: SkillEntry,
  viewer: Viewer,
  library: Library,
): Promise<readonly string[] | undefined> {
  const seen = new Set<string>([entry.id]);
  const queue: { readonly way: readonly string[]; readonly next: readonly string[] }[] = [
    { way: [entry.id], next: entry.requiresSkills },
  ];
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
    for (const id of step.next) {
      if (id === entry.id) return [...step.way, id];
      if (seen.has(id) || seen.size >= REACH) continue;
      seen.add(id);
      const found = await library.find(viewer, id);
      if (found !== undefined) queue.push({ way: [...step.way, id], next: found.requiresSkills });
    }
  }
  return undefined;
}
