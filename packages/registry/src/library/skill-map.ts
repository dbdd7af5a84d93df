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
  readonly #rest: ReadonlyMap<string, MappedSkill>;
  /** Ordered by id. */
  readonly #ordered: readonly MappedSkill[];
  readonly #changes: ReadonlyMap<string, MappedSkill | undefined>;

  private constructor(
    rest: ReadonlyMap<string, MappedSkill>,
    ordered: readonly MappedSkill[],
    changes: ReadonlyMap<string, MappedSkill | undefined>,
  ) {
    this.#rest = rest;
    this.#ordered = ordered;
    this.#changes = changes;
  }

  static of(skills: Iterable<MappedSkill>): SkillMap {
    const ordered = [...skills].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
    return new SkillMap(new Map(ordered.map((skill) => [idOf(skill), skill])), ordered, new Map());
  }

  find(id: string): MappedSkill | undefined {
    return this.#changes.has(id) ? this.#changes.get(id) : this.#rest.get(id);
  }

  /** A version with some skills replaced; undefined removes one. */
  with(changes: ReadonlyMap<string, MappedSkill | undefined>): SkillMap {
    const next = new SkillMap(this.#rest, this.#ordered, new Map([...this.#changes, ...changes]));
    return next.#changes.size > MAX_CHANGES ? SkillMap.of(next.list()) : next;
  }

  /** Ordered by id. */
  list(): readonly MappedSkill[] {
    if (this.#changes.size === 0) return this.#ordered;
    const parts: (readonly MappedSkill[])[] = [];
    let from = 0;
    for (const [id, skill] of [...this.#changes].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const at = this.#placeOf(id, from);
      parts.push(this.#ordered.slice(from, at), skill === undefined ? [] : [skill]);
      from = this.#rest.has(id) ? at + 1 : at;
    }
    return [...parts, this.#ordered.slice(from)].flat();
  }

  /** The ids that may differ from an earlier version; undefined if that is no longer known. */
  since(earlier: SkillMap): ReadonlySet<string> | undefined {
    if (earlier.#rest !== this.#rest) return undefined;
    return new Set([...earlier.#changes.keys(), ...this.#changes.keys()]);
  }

  /** The position of an id in the order, whether or not it exists. */
  #placeOf(id: string, from: number): number {
    let [low, high] = [from, this.#ordered.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const skill = this.#ordered[middle];
      if (skill !== undefined && idOf(skill) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function idOf({ current }: MappedSkill): string {
  return current.skill.id;
}
