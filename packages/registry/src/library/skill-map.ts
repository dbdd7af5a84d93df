import type { Standing } from "@skillhold/core/library";
import type { SkillEntry } from "@skillhold/protocol";
import type { Grant } from "../record/grant.ts";
import type { CurrentSkill, Revision } from "../record/registered-skill.ts";

/** What a view is made of, for one skill: all that was read about it. */
export interface HeldSkill {
  readonly current: CurrentSkill;
  readonly grants: readonly Grant[];
  /** Revisions that someone is held to and that are not the one that counts. */
  readonly pinned: readonly Revision[];
  /** Whether anyone is held to any of its revisions. */
  readonly isPinned: boolean;
}

/** A skill of a view. Views share it: its entry is made when one of them is asked for it. */
export interface MappedSkill extends HeldSkill {
  entry?: SkillEntry;
  standing?: Standing;
}

/** So many changes are kept apart from the rest before they are taken into it. */
const MAX_CHANGES = 1000;

/**
 * Skills by id, at one moment. Many moments share one large map, beside which each has what changed since: a change
 * costs the same, however many skills there are.
 */
export class SkillMap {
  readonly #rest: ReadonlyMap<string, MappedSkill>;
  /** In the order of their ids. */
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

  /** The same with other skills in place of some; undefined takes one away. */
  with(changes: ReadonlyMap<string, MappedSkill | undefined>): SkillMap {
    const next = new SkillMap(this.#rest, this.#ordered, new Map([...this.#changes, ...changes]));
    return next.#changes.size > MAX_CHANGES ? SkillMap.of(next.list()) : next;
  }

  /** In the order of their ids. */
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

  /** The ids of all that may differ from an earlier moment; undefined when that is not known any more. */
  since(earlier: SkillMap): ReadonlySet<string> | undefined {
    if (earlier.#rest !== this.#rest) return undefined;
    return new Set([...earlier.#changes.keys(), ...this.#changes.keys()]);
  }

  /** Where an id stands in the order, or would. */
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
