import type { LibraryChange } from "@skillhold/core/library";
import type { SkillEntry } from "@skillhold/protocol";

export type Entries = ReadonlyMap<string, SkillEntry>;

/**
 * What those who listen know. Several look at a gateway, each with a list of its own, and a change that one sees first
 * and another later is one change.
 */
export class KnownSkills {
  readonly #known = new Map<string, SkillEntry>();

  /** What someone sees who has not looked before is no change. */
  meet(entries: Entries): void {
    for (const [id, entry] of entries) if (!this.#known.has(id)) this.#known.set(id, entry);
  }

  /** What is new of what became of a list, or undefined when nothing is. */
  learn(before: Entries, after: Entries): LibraryChange | undefined {
    const added: string[] = [];
    const changed: string[] = [];
    for (const [id, entry] of after) {
      const last = before.get(id);
      const known = this.#known.get(id);
      if (last !== undefined && !isOther(last, entry)) continue;
      if (known === undefined) added.push(id);
      else if (isOther(known, entry)) changed.push(id);
      this.#known.set(id, entry);
    }
    const removed = [...before.keys()].filter((id) => !after.has(id) && this.#known.delete(id));
    if (added.length + changed.length + removed.length === 0) return undefined;
    return { added, changed, removed, broken: [] };
  }
}

/** Several changes as one. */
export function mergeChanges(changes: readonly LibraryChange[]): LibraryChange | undefined {
  if (changes.length < 2) return changes[0];
  const kinds = new Map<string, "added" | "changed" | "removed">();
  for (const kind of ["added", "changed", "removed"] as const)
    for (const id of changes.flatMap((change) => change[kind]))
      kinds.set(id, (kinds.get(id) ?? kind) === kind ? kind : "changed");
  const idsOf = (wanted: string) => [...kinds].flatMap(([id, kind]) => (kind === wanted ? [id] : [])).sort();
  return { added: idsOf("added"), changed: idsOf("changed"), removed: idsOf("removed"), broken: [] };
}

/** A file that was only written again, or touched, is no change. */
function isOther(
  { lastModified: _, ...last }: SkillEntry,
  { lastModified: __, ...entry }: SkillEntry,
): boolean {
  return JSON.stringify(last) !== JSON.stringify(entry);
}
