import { setImmediate } from "node:timers/promises";
import {
  type GateState,
  isSameSettings,
  mayKnow,
  type ShelfView,
  type Viewer,
} from "@skillhold/core/library";
import { SkillError } from "@skillhold/protocol/error";
import { isAdministrator, isPerson, type Principal } from "../auth/principal.ts";
import { requestViewer } from "../auth/viewer.ts";
import type { RunningContext } from "../running-context.ts";
import { isOverseer, type Recipient } from "../skill/disclosed-skill.ts";
import { viewKeyOf } from "./socket-viewer.ts";

type ViewContext = Pick<RunningContext, "registry" | "library" | "skills">;
type RegistryView = ReturnType<ViewContext["skills"]["view"]>;
type Gate = Omit<GateState, "viewer">;

/** The skills of the gateway at one moment. Later changes do not alter it. */
interface Moment {
  readonly gate: Gate;
  readonly registry: RegistryView;
}

/** A view that a principal may request at one moment: their own and those of their agents. */
interface SeenView {
  readonly moment: Moment;
  readonly viewers: readonly Viewer[];
}

/** The skills whose facts may differ between two moments. */
interface Difference {
  readonly before: Moment;
  readonly now: Moment;
  readonly ids: readonly string[];
}

const VIEWS_BETWEEN_RESTS = 100;

/**
 * Finds out whose view changed. The version of the whole view would also change with skills that a client may not know, so
 * each view compares the changed skills that it may know. The work grows with the changes, not with the skills.
 */
export class ViewChanges {
  readonly #context: ViewContext;
  /** By view key. */
  readonly #seen = new Map<string, SeenView>();
  /** Shared by all views that were last compared at the same moment. */
  #difference: Difference | undefined;

  constructor(context: ViewContext) {
    this.#context = context;
  }

  /**
   * Notes the view of a new client, which reads its skills after this. Returns whether the view changed since it was last
   * noted. Contract: calls of an instance run one at a time.
   */
  async note(principal: Principal): Promise<boolean> {
    if (isAdministrator(principal)) return false;
    await this.#context.library.refresh();
    return await this.#isChanged(viewKeyOf(principal), principal, this.#look());
  }

  /** The view keys that changed since the last call. Forgets the views of other principals. */
  async changed(principals: readonly Principal[]): Promise<ReadonlySet<string>> {
    const connected = new Map(principals.map((principal) => [viewKeyOf(principal), principal]));
    for (const key of this.#seen.keys()) if (!connected.has(key)) this.#seen.delete(key);
    await this.#context.library.refresh();
    const now = this.#look();
    const changed = new Set<string>();
    let compared = 0;
    for (const [key, principal] of connected) {
      if (await this.#isChanged(key, principal, now)) changed.add(key);
      compared += 1;
      if (compared % VIEWS_BETWEEN_RESTS === 0) await setImmediate();
    }
    return changed;
  }

  async #isChanged(key: string, principal: Principal, now: Moment): Promise<boolean> {
    // Administrators see every skill.
    if (isAdministrator(principal)) return true;
    const before = this.#seen.get(key);
    const isSameAgents = before?.moment.registry.settings.agents === now.registry.settings.agents;
    const viewers = isSameAgents ? before.viewers : await this.#viewersOf(principal);
    this.#seen.set(key, { moment: now, viewers });
    // A client without an earlier view waits for its `hello` and reads its skills afterward.
    if (before === undefined) return false;
    if (!isSameAgents && JSON.stringify(viewers) !== JSON.stringify(before.viewers)) return true;
    const ids = this.#idsBetween(before.moment, now);
    return viewers.some((viewer) => {
      const asker = { viewer, principal };
      return this.#factsOf(ids, asker, before.moment) !== this.#factsOf(ids, asker, now);
    });
  }

  /** Contract: the library is up to date. */
  #look(): Moment {
    const { library, skills } = this.#context;
    const { view, settings } = library.gateState({ runtime: "*" });
    return { gate: { view, settings }, registry: skills.view() };
  }

  #idsBetween(before: Moment, now: Moment): readonly string[] {
    const known = this.#difference;
    if (known?.before === before && known.now === now) return known.ids;
    const ids = [...differingIds(before.gate, now.gate)];
    this.#difference = { before, now, ids };
    return ids;
  }

  async #viewersOf(principal: Principal): Promise<readonly Viewer[]> {
    const { store } = this.#context.registry;
    const agents = isPerson(principal) ? await store.listAgents({ owner: principal.user }) : [];
    const keys = agents.filter(({ removedAt }) => removedAt === undefined).map(({ key }) => key);
    const viewers = [undefined, ...keys].map((agent) => this.#viewerOf(principal, agent));
    return (await Promise.all(viewers)).filter((viewer) => viewer !== undefined);
  }

  async #viewerOf(principal: Principal, agent: string | undefined): Promise<Viewer | undefined> {
    try {
      return await requestViewer(principal, agent === undefined ? {} : { agent }, this.#context);
    } catch (error) {
      // A removed agent sees no skills.
      if (error instanceof SkillError && error.code === "AGENT_NOT_FOUND") return undefined;
      throw error;
    }
  }

  /** The facts about the given skills that the principal may know, for all runtimes and invokers. */
  #factsOf(ids: readonly string[], { viewer, principal }: Recipient, { gate, registry }: Moment): string {
    const { library, skills } = this.#context;
    const facts = library.surveyIn(gate, viewer, ids).flatMap(({ entry, ...decision }) => {
      const held = skills.findSnapshot(entry, registry);
      const isManaged = held !== undefined && isOverseer(held, principal);
      const standing = held && registry.standing(entry.id);
      const isGone = held === undefined && entry.revision !== undefined;
      if (isGone || !(isManaged || mayKnow({ id: entry.id, standing }, viewer))) return [];
      const { id, revision, skillHash, lastModified, readiness } = entry;
      const state = [held?.current.skill ?? null, isManaged ? held.grants : null];
      return [[id, revision, skillHash, lastModified, readiness, decision, state]];
    });
    return JSON.stringify(facts);
  }
}

/** The ids whose facts may differ for any viewer. */
function differingIds(before: Gate, now: Gate): ReadonlySet<string> {
  const known = now.view === before.view ? [] : now.view.since?.(before.view);
  return new Set([...(known ?? differingEntries(before.view, now.view)), ...differingSwitches(before, now)]);
}

/** A shadowed skill may be the current one of some viewers, so it counts as different. */
function differingEntries(before: ShelfView, now: ShelfView): readonly string[] {
  const isSame = (id: string) =>
    before.standing(id) === now.standing(id) &&
    JSON.stringify(before.find(id)) === JSON.stringify(now.find(id));
  const shadowed = [...before.shadowed, ...now.shadowed].map(({ id }) => id);
  return [...idsOf(before, now).filter((id) => !isSame(id)), ...shadowed];
}

function differingSwitches(before: Gate, now: Gate): readonly string[] {
  const [last, current] = [before.settings, now.settings];
  if (isSameSettings(last, current)) return [];
  return idsOf(before.view, now.view).filter(
    (id) =>
      last.disabled?.has(id) !== current.disabled?.has(id) ||
      last.disabledFolders?.has(id) !== current.disabledFolders?.has(id),
  );
}

function idsOf(before: ShelfView, now: ShelfView): readonly string[] {
  return [...new Set([...before.entries, ...now.entries].map(({ id }) => id))];
}
