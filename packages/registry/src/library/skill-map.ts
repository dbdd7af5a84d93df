import type { SkillDecision } from "@skillhold/core/library";
import type { SkillEntry } from "@skillhold/protocol";
import type { Grant } from "../record/grant.ts";
import type { CurrentSkill, Revision } from "../record/registered-skill.ts";

/** The stored data of one skill. */
export interface SkillSnapshot {
  readonly current: CurrentSkill;
  readonly grants: readonly Grant[];
  /** Pinned revisions that are not current. */
  readonly pinned: readonly Revision[];
  /** Whether any viewer is pinned to a revision of the skill. */
  readonly isPinned: boolean;
}

/** A skill shared by several views, with values that are computed on first use. */
export interface MappedSkill extends SkillSnapshot {
  entry?: SkillEntry;
  standing?: SkillDecision;
}

/** How many changes are kept apart before they are merged into the base map. */
const MAX_CHANGES = 1000;

/**
 * Skills by id at one moment. Versions share a large base map and keep their own changes, so that a change
 * costs the same for any number of skills.
 */
export class SkillMap {
  readonly #base: Base;
  readonly #changes: ReadonlyMap<string, MappedSkill | undefined>;

  private constructor(base: Base, changes: ReadonlyMap<string, MappedSkill | undefined>) {
    this.#base = base;
    this.#changes = changes;
  }

  static of(skills: Iterable<MappedSkill>): SkillMap {
    const ordered = [...skills].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
    return new SkillMap(toBase(ordered), new Map());
  }

  find(id: string): MappedSkill | undefined {
    return this.#changes.has(id) ? this.#changes.get(id) : this.#base.byId.get(id);
  }

  /** A version with some skills replaced; undefined removes one. */
  with(changes: ReadonlyMap<string, MappedSkill | undefined>): SkillMap {
    const next = new SkillMap(this.#base, new Map([...this.#changes, ...changes]));
    if (next.#changes.size <= MAX_CHANGES) return next;
    const merged = { from: this.#base.key, ids: [...next.#changes.keys()] };
    return new SkillMap(toBase(next.list(), merged), new Map());
  }

  /** Ordered by id. */
  list(): readonly MappedSkill[] {
    const { byId, ordered } = this.#base;
    if (this.#changes.size === 0) return ordered;
    const parts: (readonly MappedSkill[])[] = [];
    let from = 0;
    for (const [id, skill] of [...this.#changes].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const at = this.#placeOf(id, from);
      parts.push(ordered.slice(from, at), skill === undefined ? [] : [skill]);
      from = byId.has(id) ? at + 1 : at;
    }
    return [...parts, ordered.slice(from)].flat();
  }

  /** The ids that differ from an earlier version; undefined if that is no longer known. */
  since(earlier: SkillMap): ReadonlySet<string> | undefined {
    const { key, merged } = this.#base;
    const isMerged = earlier.#base.key === merged?.from;
    if (earlier.#base.key !== key && !isMerged) return undefined;
    const ids = [...earlier.#changes.keys(), ...(isMerged ? merged.ids : []), ...this.#changes.keys()];
    return new Set(ids.filter((id) => this.find(id) !== earlier.find(id)));
  }

  /** The position of an id in the order, whether or not it exists. */
  #placeOf(id: string, from: number): number {
    const { ordered } = this.#base;
    let [low, high] = [from, ordered.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const skill = ordered[middle];
      if (skill !== undefined && idOf(skill) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

interface Base {
  readonly byId: ReadonlyMap<string, MappedSkill>;
  /** Ordered by id. */
  readonly ordered: readonly MappedSkill[];
  /** Later bases refer to it, so that they do not keep this one in memory. */
  readonly key: symbol;
  /** The base before this one, and the changes that were merged into it. */
  readonly merged: { readonly from: symbol; readonly ids: readonly string[] } | undefined;
}

function toBase(ordered: readonly MappedSkill[], merged?: Base["merged"]): Base {
  const byId = new Map<string, MappedSkill>();
  for (const skill of ordered) byId.set(idOf(skill), skill);
  return { byId, ordered, key: Symbol(), merged };
}

function idOf({ current }: MappedSkill): string {
  return current.skill.id;
}
