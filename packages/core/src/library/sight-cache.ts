import { type Accepts, type SearchIndex, Sight } from "../search/index.ts";
import type { ShelfView } from "./shelf.ts";

/** The state in which a gate decides for one viewer. */
export interface GateState {
  /** All that the gate reads of the viewer. */
  readonly viewer: string;
  /** Changes with every change of the switches beside the view. */
  readonly switches: readonly unknown[];
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
  readonly #kept = new Map<string, Kept>();

  /** The sight of a viewer; `alternates` are the names beside ids that documents may have. */
  get(state: GateState, accepts: Accepts, alternates: Iterable<string>, index: SearchIndex): Sight {
    const kept = this.#kept.get(state.viewer);
    this.#kept.delete(state.viewer);
    const updated = kept && this.#update(kept, state, accepts, alternates, index);
    const current = updated ?? { sight: new Sight(accepts), state };
    this.#kept.set(state.viewer, current);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_VIEWERS) break;
      this.#kept.delete(oldest);
    }
    return current.sight;
  }

  clear(): void {
    this.#kept.clear();
  }

  #update(
    kept: Kept,
    state: GateState,
    accepts: Accepts,
    alternates: Iterable<string>,
    index: SearchIndex,
  ): Kept | undefined {
    const before = kept.state;
    if (state.switches.some((each, at) => each !== before.switches[at])) return undefined;
    const since = state.view === before.view ? new Set<string>() : state.view.since?.(before.view);
    if (since === undefined) return undefined;
    index.updateSight(kept.sight, accepts, state.view === before.view ? since : [...since, ...alternates]);
    kept.state = state;
    return kept;
  }
}
