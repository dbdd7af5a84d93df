import { setImmediate } from "node:timers/promises";
import type { AgentStanding } from "@skillhold/core/library";
import type { Grant } from "../record/grant.ts";
import type { CurrentSkill, RegisteredSkill, Revision } from "../record/registered-skill.ts";
import type { RegistryReader } from "../record/registry-store.ts";
import type { RegistrySettings } from "./registry-view.ts";
import type { SkillSnapshot } from "./skill-map.ts";

const SKILLS_AT_ONCE = 500;
/** A page takes a few milliseconds. */
const SKILLS_PER_PAGE = 1000;

/** Reads the stored data of these skills. Grants are read afterward: a concurrently revoked one is missing. */
export async function readSnapshots(
  ids: readonly string[],
  settings: RegistrySettings,
  reader: RegistryReader,
): Promise<readonly SkillSnapshot[]> {
  const skills = await inParts(ids, (part) => reader.listCurrent(part));
  return await snapshotsOf(skills, await readGrants(skills, reader), settings, reader);
}

/**
 * Reads the stored data of all skills in pages, so that other work gets its turn. Pages are of different moments: the
 * caller reads the changes since the first page afterward.
 */
export async function readAllSnapshots(
  settings: RegistrySettings,
  reader: RegistryReader,
): Promise<readonly SkillSnapshot[]> {
  const skills: CurrentSkill[] = [];
  for (let after: string | undefined; ; ) {
    const page = await reader.listCurrent(undefined, { after, limit: SKILLS_PER_PAGE });
    for (const each of page) skills.push(each);
    if (page.length < SKILLS_PER_PAGE) break;
    after = page.at(-1)?.skill.id;
    // SQLite reads a page without waiting.
    await setImmediate();
  }
  return await snapshotsOf(skills, await reader.listGrants(), settings, reader);
}

async function snapshotsOf(
  skills: readonly CurrentSkill[],
  granted: readonly Grant[],
  settings: RegistrySettings,
  reader: RegistryReader,
): Promise<readonly SkillSnapshot[]> {
  const grants = Map.groupBy(granted, (each) => each.skill);
  const pins = pinsById(settings);
  const held: SkillSnapshot[] = [];
  for (const current of skills) {
    const { uid, id } = current.skill;
    const own = grants.get(uid) ?? NONE;
    const numbers = pinnedNumbers(own, pins.get(id));
    const pinned = numbers.size === 0 ? [] : await readPinned(current.skill, numbers, reader);
    held.push({ current, grants: own, pinned, isPinned: numbers.size > 0 });
    if (held.length % SKILLS_PER_PAGE === 0) await setImmediate();
  }
  return held;
}

/** Reads the stored data of deleted skills, which have no pins. */
export async function readDeletedSnapshots(reader: RegistryReader): Promise<readonly SkillSnapshot[]> {
  const skills = await reader.listDeleted();
  const grants = Map.groupBy(await readGrants(skills, reader), (each) => each.skill);
  return skills.map((current) => {
    return { current, grants: grants.get(current.skill.uid) ?? NONE, pinned: [], isPinned: false };
  });
}

/**
 * Reads the state that does not belong to one skill. A known agent that is no longer listed counts as
 * removed.
 */
export async function readSettings(
  known: RegistrySettings | undefined,
  reader: RegistryReader,
): Promise<RegistrySettings> {
  const agents = new Map<string, AgentStanding>();
  for (const [key, agent] of known?.agents ?? []) agents.set(key, { ...agent, isRemoved: true });
  for (const { key, allow, pins } of await reader.listAgents())
    agents.set(key, { allow, pins, isRemoved: false });
  const toggles = await reader.listToggles();
  const folderOff = new Set(toggles.filter(({ isEnabled }) => !isEnabled).map(({ id }) => id));
  return { agents, folderOff };
}

/** The ids of the skills that an agent has pinned. */
export function agentPins(key: string, { agents }: RegistrySettings): readonly string[] {
  return Object.keys(agents.get(key)?.pins ?? {});
}

async function readGrants(
  skills: readonly CurrentSkill[],
  reader: RegistryReader,
): Promise<readonly Grant[]> {
  const uids = skills.map(({ skill }) => skill.uid);
  return await inParts(uids, (part) => reader.listGrants(part));
}

async function inParts<T>(
  all: readonly string[],
  read: (part: readonly string[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const found: T[] = [];
  for (let start = 0; start < all.length; start += SKILLS_AT_ONCE)
    for (const each of await read(all.slice(start, start + SKILLS_AT_ONCE))) found.push(each);
  return found;
}

function pinsById({ agents }: RegistrySettings): ReadonlyMap<string, readonly number[]> {
  const pins = [...agents.values()].flatMap((agent) => Object.entries(agent.pins));
  const grouped = Map.groupBy(pins, ([id]) => id);
  return new Map([...grouped].map(([id, all]) => [id, all.map(([, revision]) => revision)]));
}

const NONE: readonly Grant[] = [];

/** The revisions to which viewers are pinned. */
function pinnedNumbers(grants: readonly Grant[], ofAgents: readonly number[] = []): ReadonlySet<number> {
  if (grants.length === 0 && ofAgents.length === 0) return UNPINNED;
  return new Set([...ofAgents, ...grants.flatMap(({ pin }) => pin ?? [])]);
}

const UNPINNED: ReadonlySet<number> = new Set();

/** Those that are not current, in their order. */
async function readPinned(
  { uid, revision: current }: RegisteredSkill,
  numbers: ReadonlySet<number>,
  reader: RegistryReader,
): Promise<readonly Revision[]> {
  const found: Revision[] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const revision = number === current ? undefined : await reader.findRevision(uid, number);
    if (revision !== undefined) found.push(revision);
  }
  return found;
}
