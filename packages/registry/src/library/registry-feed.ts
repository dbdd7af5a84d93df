import type { LibraryChange } from "@skillhold/core/library";
import type { SkillEvent } from "@skillhold/protocol";
import type { RegistryStore, StoredEvent } from "../record/registry-store.ts";
import { type EntryContext, type RegistrySettings, RegistryView } from "./registry-view.ts";
import { agentPins, readSettings, readSnapshots } from "./skill-snapshot.ts";

/** How far the events of a store were feed, and the view that came of it. */
export interface FeedState {
  readonly view: RegistryView;
  /** The last event that the view has; undefined while there was none. */
  readonly last: StoredEvent | undefined;
  /** The store's version before that event was read; undefined where the engine has none. */
  readonly version: number | undefined;
  readonly making: EntryContext;
}

export interface Step {
  readonly feed: FeedState;
  readonly change?: LibraryChange;
}

const EVENTS_AT_ONCE = 1000;

/** Reads everything. The event is taken first: what is committed meanwhile is read twice rather than missed. */
export async function openFeed(
  making: EntryContext,
  store: RegistryStore,
  known?: RegistrySettings,
): Promise<FeedState> {
  const version = await store.version();
  const seq = await store.lastEvent();
  const [last] = seq === 0 ? [] : await store.eventsAfter(seq - 1, 1);
  const settings = await readSettings(known, store);
  const view = RegistryView.of(await readSnapshots(undefined, settings, store), settings, making);
  return { view, last, version, making };
}

/** Reads what was committed since: one small answer when that is nothing, and otherwise the skills that events name. */
export async function advanceFeed(before: FeedState, store: RegistryStore): Promise<Step> {
  const version = await store.version();
  if (version !== undefined && version === before.version) return { feed: before };
  const events = await readSince(before.last, store);
  if (events === undefined) return await startOver(before, store);
  const last = events.at(-1) ?? before.last;
  const { settings: known } = before.view;
  const hasNewSettings = events.some(({ event }) => changesSettings(event));
  const settings = hasNewSettings ? await readSettings(known, store) : known;
  const ids = new Set(events.flatMap(({ event }) => skillsOf(event, known, settings)));
  const base = settings === known ? before.view : before.view.among(settings);
  const next = ids.size === 0 ? undefined : base.with(ids, await readSnapshots([...ids], settings, store));
  const feed = { ...before, version, last, view: next?.view ?? base };
  return next === undefined ? { feed } : { feed, change: next.change };
}

/**
 * The events after one that is known. It is asked for along with them: a store that does not have it any more, or has
 * another in its place, was put back to an earlier state, and the answer is undefined.
 */
async function readSince(
  known: StoredEvent | undefined,
  store: RegistryStore,
): Promise<readonly StoredEvent[] | undefined> {
  const events: StoredEvent[] = [];
  for (let after = known === undefined ? 0 : known.seq - 1; ; ) {
    const page = await store.eventsAfter(after, EVENTS_AT_ONCE);
    events.push(...page);
    after = page.at(-1)?.seq ?? after;
    if (page.length < EVENTS_AT_ONCE) break;
  }
  if (known === undefined) return events;
  return isSame(events.shift(), known) ? events : undefined;
}

function isSame(found: StoredEvent | undefined, known: StoredEvent): boolean {
  return found?.seq === known.seq && JSON.stringify(found.event) === JSON.stringify(known.event);
}

async function startOver(before: FeedState, store: RegistryStore): Promise<Step> {
  const feed = await openFeed(before.making, store, before.view.settings);
  const found = feed.view.held();
  const ids = new Set([...before.view.held(), ...found].map(({ current }) => current.skill.id));
  const next = before.view.with(ids, found);
  return next === undefined ? { feed } : { feed, change: next.change };
}

function changesSettings(event: SkillEvent): boolean {
  const { type } = event;
  if (type === "skill.toggled") return event.scope === "folder";
  return type === "agent.added" || type === "agent.changed" || type === "agent.removed";
}

/** What agents do with skills changes none of them; there are many more of these than of all others. */
const uses: ReadonlySet<SkillEvent["type"]> = new Set<SkillEvent["type"]>([
  "skill.discovered",
  "skill.shadowed",
  "skill.activated",
  "skill.deactivated",
  "skill.resource_read",
  "skill.served",
  "run.requested",
  "run.approved",
  "skill.script_executed",
  "skill.tool_called",
  "approval.asked",
  "approval.granted",
  "approval.denied",
  "approval.revoked",
  "skill.denied",
  "secret.set",
  "secret.removed",
]);

/** Any other event that names a skill may have changed it: a kind that is forgotten here would be a gate that stays open. */
function skillsOf(event: SkillEvent, before: RegistrySettings, after: RegistrySettings): readonly string[] {
  if (uses.has(event.type)) return [];
  if ("skill" in event) return [event.skill];
  if (!changesSettings(event) || !("agent" in event) || event.agent === undefined) return [];
  // An agent may be held to other revisions now.
  return [...agentPins(event.agent, before), ...agentPins(event.agent, after)];
}
