import type { LibraryChange } from "@skillhold/core/library";
import type { SkillEvent } from "@skillhold/protocol";
import type { RegistryStore, StoredEvent } from "../record/registry-store.ts";
import { type EntryContext, type RegistrySettings, RegistryView } from "./registry-view.ts";
import { agentPins, readAllSnapshots, readSettings, readSnapshots } from "./skill-snapshot.ts";

/** The position in the event feed, and the view built from it. */
export interface FeedState {
  readonly view: RegistryView;
  /** The last event in the view; undefined for an empty log. */
  readonly last: StoredEvent | undefined;
  /** The store version before that event was read; undefined for an engine without versions. */
  readonly version: number | undefined;
  readonly making: EntryContext;
}

export interface Step {
  readonly feed: FeedState;
  readonly change?: LibraryChange;
}

const EVENTS_AT_ONCE = 1000;

/**
 * Reads all skills. The last event is read first, so that concurrent commits are read twice rather than
 * missed.
 */
export async function openFeed(
  making: EntryContext,
  store: RegistryStore,
  known?: RegistrySettings,
): Promise<FeedState> {
  const version = await store.version();
  const seq = await store.lastEvent();
  const [last] = seq === 0 ? [] : await store.eventsAfter(seq - 1, 1);
  const settings = await readSettings(known, store);
  const view = RegistryView.of(await readAllSnapshots(settings, store), settings, making);
  await view.prepare();
  return { view, last, version, making };
}

/** Reads the skills named by events since the last call. Costs one small query if the log has not grown. */
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
 * The events after a known one. The known event is read again: if it is gone or different, the store was
 * reset to an earlier state and the result is undefined.
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
  const found = feed.view.snapshots();
  const ids = new Set([...before.view.snapshots(), ...found].map(({ current }) => current.skill.id));
  const next = before.view.with(ids, found);
  return next === undefined ? { feed } : { feed, change: next.change };
}

function changesSettings(event: SkillEvent): boolean {
  const { type } = event;
  if (type === "skill.toggled") return event.scope === "folder";
  return type === "agent.added" || type === "agent.changed" || type === "agent.removed";
}

/** Events that do not change a skill. They are the vast majority. */
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
  "approval.used",
  "approval.granted",
  "approval.denied",
  "approval.revoked",
  "skill.denied",
  "secret.set",
  "secret.removed",
]);

/**
 * Every other event that names a skill counts as a change: missing a type here would leave stale access
 * decisions.
 */
function skillsOf(event: SkillEvent, before: RegistrySettings, after: RegistrySettings): readonly string[] {
  if (uses.has(event.type)) return [];
  if ("skill" in event) return [event.skill];
  if (!changesSettings(event) || !("agent" in event) || event.agent === undefined) return [];
  // The agent may have different pins now.
  return [...agentPins(event.agent, before), ...agentPins(event.agent, after)];
}
