import type { AgentStanding } from "@skillhold/core/library";
import type { Grant } from "../record/grant.ts";
import type { CurrentSkill, Revision } from "../record/registered-skill.ts";
import type { RegistryReader } from "../record/registry-store.ts";
import type { RegistrySettings } from "./registry-view.ts";
import type { SkillSnapshot } from "./skill-map.ts";

const SKILLS_AT_ONCE = 500;

/**
 * Reads the stored data of these skills, or of all. Grants are read after the skills, so that a concurrently
 * revoked grant is missing rather than still present.
 */
export async function readSnapshots(
  ids: readonly string[] | undefined,
  settings: RegistrySettings,
  reader: RegistryReader,
): Promise<readonly SkillSnapshot[]> {
  const skills = await readCurrent(ids, reader);
  const grants = Map.groupBy(
    await readGrants(ids === undefined ? undefined : skills, reader),
    (each) => each.skill,
  );
  const pins = pinsById(settings);
  const held: SkillSnapshot[] = [];
  for (const current of skills) {
    const { uid, id } = current.skill;
    const own = grants.get(uid) ?? NONE;
    held.push({ current, grants: own, ...(await readPinned(current, own, pins.get(id), reader)) });
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

/** Unknown ids are ignored. */
async function readCurrent(
  ids: readonly string[] | undefined,
  reader: RegistryReader,
): Promise<readonly CurrentSkill[]> {
  if (ids === undefined) return await reader.listCurrent();
  return await inParts(ids, (part) => reader.listCurrent(part));
}

async function readGrants(
  skills: readonly CurrentSkill[] | undefined,
  reader: RegistryReader,
): Promise<readonly Grant[]> {
  if (skills === undefined) return await reader.listGrants();
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

async function readPinned(
  { skill }: CurrentSkill,
  grants: readonly Grant[],
  ofAgents: readonly number[] = [],
  reader: RegistryReader,
): Promise<Pick<SkillSnapshot, "pinned" | "isPinned">> {
  const numbers = new Set([...ofAgents, ...grants.flatMap(({ pin }) => pin ?? [])]);
  const isPinned = numbers.size > 0;
  numbers.delete(skill.revision);
  const found: Revision[] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const revision = await reader.findRevision(skill.uid, number);
    if (revision !== undefined) found.push(revision);
  }
  return { pinned: found, isPinned };
}
