import { LRUCache } from "lru-cache";
import { type DocumentFilter, type SearchIndex, Sight } from "../search/index.ts";
import { type AccessSettings, isSameSettings } from "./access.ts";
import type { ShelfView } from "./shelf.ts";

/** The state in which a gate decides for one viewer. */
export interface GateState {
  /** All that the gate reads of the viewer. */
  readonly viewer: string;
  /** The settings at the moment of the view. */
  readonly settings: AccessSettings;
  readonly view: ShelfView;
}

interface Kept {
  readonly sight: Sight;
  state: GateState;
}

/** A byte for each skill and viewer. */
const MOST_VIEWERS = 32;

/** Remembers what the last viewers may see, so that a search does not ask the gate about every skill. */
export class SightCache {
  readonly #kept = new LRUCache<string, Kept>({ max: MOST_VIEWERS });

  /** The sight of a viewer; `alternates` are the names beside ids that documents may have. */
  get(state: GateState, accepts: DocumentFilter, alternates: Iterable<string>, index: SearchIndex): Sight {
    const kept = this.#kept.get(state.viewer);
    const updated = kept && this.#update(kept, state, accepts, alternates, index);
    const current = updated ?? { sight: new Sight(accepts), state };
    this.#kept.set(state.viewer, current);
    return current.sight;
  }

  clear(): void {
    this.#kept.clear();
  }

  #update(
    kept: Kept,
    state: GateState,
    accepts: DocumentFilter,
    alternates: Iterable<string>,
    index: SearchIndex,
  ): Kept | undefined {
    const before = kept.state;
    if (!isSameSettings(state.settings, before.settings)) return undefined;
    const since = state.view === before.view ? new Set<string>() : state.view.since?.(before.view);
    if (since === undefined) return undefined;
    index.updateSight(kept.sight, accepts, state.view === before.view ? since : [...since, ...alternates]);
    kept.state = state;
    return kept;
  }
}
