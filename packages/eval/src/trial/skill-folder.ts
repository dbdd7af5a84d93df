import { constants, mkdirSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Library, Viewer } from "@skillhold/core/library";
import type { Digest } from "@skillhold/protocol";
import { type Random, shuffle } from "../stats/random.ts";

/** Skills laid out as folders, each under its real id. Trials that could change them get copies. */
export interface SkillFolder {
  readonly path: string;
  readonly skills: readonly LaidOutSkill[];
}

export interface LaidOutSkill {
  readonly id: string;
  readonly treeHash: Digest;
}

/** Writes the bundles of these skills below an empty folder. */
export async function layOut(
  ids: readonly string[],
  path: string,
  { library, viewer }: { readonly library: Library; readonly viewer: Viewer },
): Promise<SkillFolder> {
  mkdirSync(path, { recursive: true });
  const skills: LaidOutSkill[] = [];
  for (const id of ids) {
    const folder = join(path, id);
    mkdirSync(folder);
    const { entry, treeHash } = await library.copy(viewer, id, folder);
    skills.push({ id: entry.id, treeHash });
  }
  return { path, skills };
}

/** The same without the evals: an agent that reads them would find the answers. */
export async function layOutForTrials(...args: Parameters<typeof layOut>): Promise<SkillFolder> {
  const folder = await layOut(...args);
  for (const { id } of folder.skills)
    await rm(join(folder.path, id, "evals"), { recursive: true, force: true });
  return folder;
}

/** A copy for one trial. */
export async function copySkills(from: SkillFolder, to: string): Promise<void> {
  await cp(from.path, to, { recursive: true, mode: constants.COPYFILE_FICLONE });
}

export interface DistractorOptions {
  /** How many other skills the agent sees; 20 by default. */
  readonly count?: number;
  /** The words of the evals, by which the nearest skills are found. */
  readonly queries: readonly string[];
  readonly random: Random;
}

const COUNT = 20;
/** So many queries are searched for neighbors; more find the same skills. */
const MOST_QUERIES = 50;

/** Other skills for the agent to choose from: half neighbors of the skill by search, the rest at random. */
export async function chooseDistractors(
  target: string,
  { count = COUNT, queries, random }: DistractorOptions,
  { library, viewer }: { readonly library: Library; readonly viewer: Viewer },
): Promise<readonly string[]> {
  const entries = await library.list(viewer);
  const description = entries.find(({ id }) => id === target)?.description ?? "";
  const score = new Map<string, number>();
  for (const query of [description, ...queries.slice(0, MOST_QUERIES)].filter((text) => text.trim() !== "")) {
    for (const { entry, hit } of await library.search(viewer, query, { limit: count + 1 }))
      if (entry.id !== target) score.set(entry.id, (score.get(entry.id) ?? 0) + hit.score);
  }
  const near = [...score].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([id]) => id);
  const neighbors = near.slice(0, Math.ceil(count / 2));
  const others = entries.map(({ id }) => String(id)).filter((id) => id !== target && !neighbors.includes(id));
  return [...neighbors, ...shuffle(others, random).slice(0, count - neighbors.length)].toSorted();
}
