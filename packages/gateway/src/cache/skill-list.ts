import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import {
  type Access,
  type GateState,
  type IndexedLibrary,
  isSameSettings,
  type Viewer,
} from "@skillhold/core/library";
import type { RegistryLibrary, SkillSnapshot } from "@skillhold/registry/library";
import { LRUCache } from "lru-cache";

/** The gate's decision, or `deleted`: the gate does not see deleted skills. */
export type DisclosedAccess = Omit<Access, "reason"> & { readonly reason: Access["reason"] | "deleted" };

/** A skill of a list: the gate's decision, and the registry's record unless the skill is in a folder. */
export interface ListedSkill {
  readonly access: DisclosedAccess;
  readonly held: SkillSnapshot | undefined;
  /** A number for the facts that a list's version depends on; computed on first use. */
  mark?: number;
}

export interface ListRequest {
  /** All that `isListed` depends on besides its arguments. */
  readonly key: string;
  readonly viewer: Viewer;
  isListed(access: Access, held: SkillSnapshot | undefined): boolean;
}

interface SkillListPorts {
  readonly library: Pick<IndexedLibrary, "refresh" | "surveyIn" | "surveyAllIn" | "gateState">;
  readonly skills: Pick<RegistryLibrary, "findSnapshot" | "view">;
}

/** The skills that are listed for one caller, ordered by id. */
export class SkillList {
  readonly skills: readonly ListedSkill[];
  #version: Promise<number> | undefined;
  #tagged: { readonly tag: string; readonly skills: readonly ListedSkill[] } | undefined;

  constructor(skills: readonly ListedSkill[]) {
    this.skills = skills;
  }

  /**
   * A number that changes with the listed skills. The version of the whole view would also change with skills that the
   * caller may not know.
   */
  version(): Promise<number> {
    this.#version ??= versionOf(this.skills);
    return this.#version;
  }

  /** The skills with a tag, in any case. */
  tagged(tag: string): readonly ListedSkill[] {
    const wanted = tag.toLowerCase();
    if (this.#tagged?.tag !== wanted) {
      const hasTag = ({ access }: ListedSkill) =>
        access.entry.tags.some((each) => each.toLowerCase() === wanted);
      this.#tagged = { tag: wanted, skills: this.skills.filter(hasTag) };
    }
    return this.#tagged.skills;
  }
}

interface Kept {
  readonly state: GateState;
  readonly list: SkillList;
}

interface Making {
  readonly state: GateState;
  readonly list: Promise<SkillList>;
}

/** Measured: a decision, its messages and its place in a list. */
const BYTES_PER_SKILL = 300;
const MAX_BYTES = 96 * 1024 * 1024;
const MAX_LISTS = 256;
/** Above this number of changed skills, a whole survey takes less time. */
const MAX_CHANGES = 2000;
/** Other requests get their turn after some milliseconds. */
const SKILLS_BETWEEN_RESTS = 2000;

/**
 * The lists of the last callers, so that a page does not decide on every skill again. A list is valid in the state of the
 * gate that it was made in; in a later state only the changed skills are decided again.
 */
export class SkillLists {
  readonly #ports: SkillListPorts;
  readonly #kept = new LRUCache<string, Kept>({
    max: MAX_LISTS,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ list }, key) => list.skills.length * BYTES_PER_SKILL + key.length * 2 + 100,
  });

  readonly #making = new Map<string, Making>();

  constructor(ports: SkillListPorts) {
    this.#ports = ports;
  }

  async get(request: ListRequest): Promise<SkillList> {
    const { library } = this.#ports;
    const { key: caller, viewer } = request;
    await library.refresh();
    const state = library.gateState(viewer);
    const key = JSON.stringify([caller, state.viewer]);
    const kept = this.#kept.get(key);
    if (kept !== undefined && isSame(kept.state, state)) return kept.list;
    const making = this.#making.get(key);
    if (making !== undefined && isSame(making.state, state)) return await making.list;
    return await this.#make(key, kept, { state, registry: this.#ports.skills.view() }, request);
  }

  /** Makes a list once for all concurrent requests. */
  async #make(key: string, kept: Kept | undefined, moment: Moment, request: ListRequest): Promise<SkillList> {
    const { state } = moment;
    const list = this.#update(kept, moment, request).then((skills) => new SkillList(skills));
    this.#making.set(key, { state, list });
    try {
      const made = await list;
      this.#kept.set(key, { state, list: made });
      return made;
    } finally {
      if (this.#making.get(key)?.list === list) this.#making.delete(key);
    }
  }

  async #update(
    kept: Kept | undefined,
    moment: Moment,
    request: ListRequest,
  ): Promise<readonly ListedSkill[]> {
    const { state } = moment;
    const { library } = this.#ports;
    const changed = kept && changesSince(kept.state, state);
    if (kept === undefined || changed === undefined || changed.size > MAX_CHANGES)
      return await this.#listAll(await library.surveyAllIn(state, request.viewer), moment, request);
    const ids = [...changed].sort();
    const found = library
      .surveyIn(state, request.viewer, ids)
      .flatMap((access) => this.#listed(access, moment, request) ?? []);
    return replace(kept.list.skills, ids, found);
  }

  async #listAll(
    surveyed: readonly Access[],
    moment: Moment,
    request: ListRequest,
  ): Promise<readonly ListedSkill[]> {
    const found: ListedSkill[] = [];
    let decided = 0;
    for (const access of surveyed) {
      const listed = this.#listed(access, moment, request);
      if (listed !== undefined) found.push(listed);
      decided += 1;
      if (decided % SKILLS_BETWEEN_RESTS === 0) await setImmediate();
    }
    return found;
  }

  #listed(access: Access, { registry }: Moment, { isListed }: ListRequest): ListedSkill | undefined {
    const held = this.#ports.skills.findSnapshot(access.entry, registry);
    // A registry entry without a record was deleted after the survey.
    const isGone = held === undefined && access.entry.revision !== undefined;
    return !isGone && isListed(access, held) ? { access, held } : undefined;
  }
}

/** The moment that a list shows, however long it takes to make. */
interface Moment {
  readonly state: GateState;
  readonly registry: ReturnType<RegistryLibrary["view"]>;
}

/** The position of the first skill whose id is `id` or comes after it. */
export function placeOf(skills: readonly ListedSkill[], id: string): number {
  let [low, high] = [0, skills.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((skills[middle]?.access.entry.id ?? "") < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isSame(a: GateState, b: GateState): boolean {
  return a.view === b.view && a.viewer === b.viewer && isSameSettings(a.settings, b.settings);
}

/** The ids whose decision may differ; undefined when all may. */
function changesSince(before: GateState, state: GateState): ReadonlySet<string> | undefined {
  return isSameSettings(before.settings, state.settings) ? state.view.since?.(before.view) : undefined;
}

/** Contract: `ids` and `found` are sorted, and `found` has no other ids. */
function replace(
  skills: readonly ListedSkill[],
  ids: readonly string[],
  found: readonly ListedSkill[],
): readonly ListedSkill[] {
  const parts: (readonly ListedSkill[])[] = [];
  let from = 0;
  let next = 0;
  for (const id of ids) {
    const at = placeOf(skills, id);
    parts.push(skills.slice(from, at));
    const now = found[next];
    if (now?.access.entry.id === id) {
      parts.push([now]);
      next += 1;
    }
    from = skills[at]?.access.entry.id === id ? at + 1 : at;
  }
  return [...parts, skills.slice(from)].flat();
}

/** A sum, so that after a change only the changed skills are hashed. */
async function versionOf(skills: readonly ListedSkill[]): Promise<number> {
  let sum = 0;
  let marked = 0;
  for (const skill of skills) {
    skill.mark ??= markOf(skill);
    sum = (sum + skill.mark) % MARKS;
    marked += 1;
    if (marked % SKILLS_BETWEEN_RESTS === 0) await setImmediate();
  }
  return sum;
}

const MARK_DIGITS = 12;
const MARKS = 16 ** MARK_DIGITS;

function markOf({ access: { entry, isVisible }, held }: ListedSkill): number {
  const facts = [entry.id, entry.revision, entry.skillHash, isVisible, held?.current.skill.updatedAt];
  return Number.parseInt(hash("sha256", JSON.stringify(facts), "hex").slice(0, MARK_DIGITS), 16);
}
