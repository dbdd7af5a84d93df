import type { SkillEntry } from "@skillhold/protocol";
import { type Precedence, type SourceKind, sourceRank } from "../source/source.ts";
import type { SkillDecision } from "./access.ts";
import { ALTERNATE } from "./library-search.ts";
import { isRestricted } from "./ownership.ts";
import type { Accepts, InvalidSkill, ShadowedSkill, ShelfView } from "./shelf.ts";
import type { AgentStanding } from "./viewer.ts";

/**
 * Several views as one: for each id the best rank wins, then the first view. Rank alone decides: a disabled skill is
 * not replaced by another one with its id. Only a skill that a viewer may not have yields to the next one, for that
 * viewer.
 */
export class LayeredView implements ShelfView {
  readonly #views: readonly ShelfView[];
  readonly #precedence: Precedence;
  /** The general view, if this view is for one viewer. */
  readonly #base: LayeredView | undefined;
  readonly #accepts: Accepts;
  #entries: readonly SkillEntry[] | undefined;
  #contested: ReadonlySet<string> | undefined;
  #alternates: ReadonlyMap<string, SkillEntry> | undefined;

  constructor(views: readonly ShelfView[], precedence: Precedence, base?: LayeredView, accepts?: Accepts) {
    this.#views = views;
    this.#precedence = precedence;
    this.#base = base;
    this.#accepts = accepts ?? (() => true);
  }

  openTo(accepts: Accepts): LayeredView {
    return new LayeredView(this.#views, this.#precedence, this, accepts);
  }

  get entries(): readonly SkillEntry[] {
    this.#entries ??= this.#base === undefined ? this.#winners() : this.#replaced(this.#base);
    return this.#entries;
  }

  find(id: string): SkillEntry | undefined {
    return this.#ownView(id)?.find(id);
  }

  standing(id: string): SkillDecision | undefined {
    return this.#ownView(id)?.standing(id);
  }

  agent(key: string): AgentStanding | undefined {
    for (const view of this.#views) {
      const agent = view.agent?.(key);
      if (agent !== undefined) return agent;
    }
    return undefined;
  }

  kind(id: string): SourceKind | undefined {
    return this.#ownView(id)?.kind(id);
  }

  broken(id: string): string | undefined {
    return this.#ownView(id)?.broken?.(id);
  }

  /** The index of the view with the current skill. */
  owner(id: string): number | undefined {
    let only: number | undefined;
    for (let index = 0; index < this.#views.length; index += 1) {
      if (this.#views[index]?.find(id) === undefined) continue;
      if (only !== undefined) return this.#bestOwner(id);
      only = index;
    }
    return only;
  }

  /** The index of the entry's view, or of one with the same source and id. */
  ownerOf(entry: SkillEntry): number | undefined {
    const candidates = this.#ranked(entry.id);
    const isSame = ({ index, found }: Candidate) =>
      found === entry ||
      this.#views[index]?.standing(entry.id)?.ownership?.revision(entry.revision ?? 0) === entry;
    const own = candidates.find(isSame) ?? candidates.find(({ found }) => found.source === entry.source);
    return (own ?? candidates[0])?.index;
  }

  searchName(id: string): string {
    const owner = this.owner(id);
    const winner = (this.#base ?? this).owner(id);
    return owner === winner ? id : `${id}${ALTERNATE}${owner}`;
  }

  /** Only skills that some viewer may get instead of the current one. */
  get alternates(): ReadonlyMap<string, SkillEntry> {
    this.#alternates ??= new Map([
      ...[...this.#findContested()].flatMap((id) => this.#alternatesOf(id)),
      ...this.#views.flatMap((view, index) => this.#alternatesIn(view, index)),
    ]);
    return this.#alternates;
  }

  get shadowed(): readonly ShadowedSkill[] {
    const contested = (this.#base ?? this).#findContested();
    const losers =
      contested.size === 0
        ? []
        : this.#views.flatMap(({ entries }, index) =>
            entries.filter(({ id }) => contested.has(id) && this.owner(id) !== index),
          );
    const all = [...losers, ...this.#views.flatMap(({ shadowed }) => shadowed)];
    return all.map((each) => this.#below(each));
  }

  get invalid(): readonly InvalidSkill[] {
    return this.#views.flatMap(({ invalid }) => invalid);
  }

  since(earlier: ShelfView): ReadonlySet<string> | undefined {
    if (!(earlier instanceof LayeredView)) return undefined;
    const ids = new Set<string>();
    for (const [index, view] of this.#views.entries()) {
      const before = earlier.#views[index];
      if (view === before) continue;
      const since = before === undefined ? undefined : view.since?.(before);
      if (since === undefined) return undefined;
      for (const id of since) ids.add(id);
    }
    return ids;
  }

  /** A copy with one view replaced. */
  with(index: number, view: ShelfView | undefined): LayeredView {
    const views = this.#views.map((each, at) => (at === index ? (view ?? each) : each));
    return new LayeredView(views, this.#precedence);
  }

  isOf(views: readonly ShelfView[]): boolean {
    return views.every((view, index) => view === this.#views[index]);
  }

  #winners(): readonly SkillEntry[] {
    const contested = this.#findContested();
    const filled = this.#views.filter(({ entries }) => entries.length > 0);
    if (filled.length === 1) return filled[0]?.entries ?? [];
    return this.#views
      .flatMap(({ entries }, index) =>
        entries.filter(({ id }) => !contested.has(id) || this.owner(id) === index),
      )
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Same ids in the same order; ids without an accepted candidate stay and are hidden by the access check. */
  #replaced(base: LayeredView): readonly SkillEntry[] {
    const contested = base.#findContested();
    if (contested.size === 0) return base.entries;
    return base.entries.map((entry) => (contested.has(entry.id) ? (this.find(entry.id) ?? entry) : entry));
  }

  /** Ids in more than one view. */
  #findContested(): ReadonlySet<string> {
    if (this.#contested !== undefined) return this.#contested;
    const contested = new Set<string>();
    const filled = this.#views.filter(({ entries }) => entries.length > 0);
    for (const [index, view] of filled.entries()) {
      const before = filled.slice(0, index);
      if (before.length === 0) continue;
      for (const { id } of view.entries)
        if (before.some((other) => other.find(id) !== undefined)) contested.add(id);
    }
    this.#contested = contested;
    return contested;
  }

  /** The skills of one view, by their name here. */
  #alternatesIn(
    { alternates = new Map() }: ShelfView,
    index: number,
  ): readonly (readonly [string, SkillEntry])[] {
    return [...alternates].map(([name, entry]) => {
      const own = this.owner(entry.id) === index ? entry.id : `${entry.id}${ALTERNATE}${index}`;
      return [`${own}${name.slice(entry.id.length)}`, entry];
    });
  }

  #alternatesOf(id: string): readonly (readonly [string, SkillEntry])[] {
    const [winner, ...others] = this.#ranked(id);
    const isClosed = (each: Candidate | undefined) =>
      isRestricted(this.#views[each?.index ?? -1]?.standing(id)?.ownership);
    const isHeld = ({ index }: Candidate) => this.#views[index]?.standing(id)?.ownership?.isPinned === true;
    return others
      .filter((each) => isClosed(winner) || isHeld(each))
      .map(({ index, found }) => [`${id}${ALTERNATE}${index}`, found]);
  }

  #bestOwner(id: string): number | undefined {
    const candidates = this.#ranked(id);
    return (candidates.find((each) => this.#isAccepted(id, each)) ?? candidates[0])?.index;
  }

  /** Best first. */
  #ranked(id: string): readonly Candidate[] {
    const candidates = this.#views.flatMap((view, index) => {
      const found = view.find(id);
      if (found === undefined) return [];
      const kind = view.kind(id) ?? "third_party";
      return [{ index, found, rank: sourceRank({ kind, trust: found.trust }, this.#precedence) }];
    });
    return candidates.length < 2 ? candidates : candidates.sort((a, b) => a.rank - b.rank);
  }

  #isAccepted(id: string, { index, found }: Candidate): boolean {
    return this.#accepts(found, this.#views[index]?.standing(id));
  }

  #ownView(id: string): ShelfView | undefined {
    const owner = this.owner(id);
    return owner === undefined ? undefined : this.#views[owner];
  }

  /** The skill that shadows another is the current one. */
  #below({ id, path, source }: Pick<ShadowedSkill, "id" | "path" | "source">): ShadowedSkill {
    const winner = this.find(id);
    return { id, path, source, by: { source: winner?.source ?? "", path: winner?.path ?? "" } };
  }
}

interface Candidate {
  /** The index of its view. */
  readonly index: number;
  readonly found: SkillEntry;
  readonly rank: number;
}
