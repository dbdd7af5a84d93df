import { type MemorySkill, openMemoryLibrary, type Viewer } from "@skillhold/core/library";
import { nodeHost } from "@skillhold/core/source";
import { SkillError } from "@skillhold/protocol/error";
import { readTriggerSet, type TriggerQuery } from "../format/trigger-set.ts";
import { type Interval, wilson } from "../stats/interval.ts";
import { rankOffline } from "./offline.ts";
import { type SkillPlace, TRIGGER_FILES } from "./score-offline.ts";

/** Two contents of a skill as texts by path; `before` is undefined for a new skill. */
export interface ContentPair {
  readonly skill: string;
  readonly before: ReadonlyMap<string, string> | undefined;
  readonly after: ReadonlyMap<string, string>;
}

/** How a change of a skill moves it in the search, for the trigger queries of the new content. */
export interface TriggerChange {
  /** Other skills that it is ranked among: those that the search finds for these queries. */
  readonly others: number;
  /** Of the queries that should trigger, those that rank it first. */
  readonly before: Interval | undefined;
  readonly after: Interval | undefined;
  /** The queries whose rank differs. */
  readonly moved: readonly {
    readonly query: string;
    readonly shouldTrigger: boolean;
    readonly before: number | undefined;
    readonly after: number | undefined;
  }[];
}

const MOST_QUERIES = 100;
const NEIGHBORS = 20;
const MOST_OTHERS = 200;

/** Ranks both contents among the same neighbors, by search alone. Undefined without trigger queries. */
export async function compareTriggers(
  { skill, before, after }: ContentPair,
  place: SkillPlace,
): Promise<TriggerChange | undefined> {
  const queries = (queriesOf(after) ?? queriesOf(before) ?? []).slice(0, MOST_QUERIES);
  if (queries.length === 0) return undefined;
  const others = await readNeighbors(skill, queries, place);
  const rankIn = (content: ReadonlyMap<string, string> | undefined) =>
    rankAll(skill, content?.get("SKILL.md"), others, { queries, viewer: place.viewer });
  const [old, now] = [await rankIn(before), await rankIn(after)];
  return {
    others: others.length,
    before: before === undefined ? undefined : firstRate(queries, old),
    after: firstRate(queries, now),
    moved: queries
      .map(({ query, shouldTrigger }, at) => ({ query, shouldTrigger, before: old[at], after: now[at] }))
      .filter((row) => before !== undefined && row.before !== row.after),
  };
}

function queriesOf(content: ReadonlyMap<string, string> | undefined): readonly TriggerQuery[] | undefined {
  const file = TRIGGER_FILES.find((path) => content?.has(path) === true);
  const text = file === undefined ? undefined : content?.get(file);
  return file === undefined || text === undefined ? undefined : readTriggerSet(text, file).queries;
}

async function readNeighbors(
  skill: string,
  queries: readonly TriggerQuery[],
  { library, viewer }: SkillPlace,
): Promise<readonly MemorySkill[]> {
  const ids = new Set<string>();
  for (const { query } of queries) {
    const hits = await library.search(viewer, query, { limit: NEIGHBORS, hasSnippets: false });
    for (const { entry } of hits) if (entry.id !== skill && ids.size < MOST_OTHERS) ids.add(entry.id);
  }
  const skills: MemorySkill[] = [];
  for (const id of ids) {
    try {
      const { content } = await library.resource(viewer, id, "SKILL.md");
      skills.push({ folder: id, files: { "SKILL.md": content } });
    } catch (error) {
      // A skill that was removed meanwhile is no neighbor.
      if (!(error instanceof SkillError)) throw error;
    }
  }
  return skills;
}

async function rankAll(
  skill: string,
  text: string | undefined,
  others: readonly MemorySkill[],
  { queries, viewer }: { readonly queries: readonly TriggerQuery[]; readonly viewer: Viewer },
): Promise<readonly (number | undefined)[]> {
  if (text === undefined) return queries.map(() => undefined);
  const host = nodeHost({ env: {}, platform: process.platform, cwd: "/" });
  const library = openMemoryLibrary([...others, { folder: skill, files: { "SKILL.md": text } }], { host });
  try {
    const ranks: (number | undefined)[] = [];
    for (const { query } of queries) ranks.push((await rankOffline(query, skill, { library, viewer })).rank);
    return ranks;
  } finally {
    await library.close();
  }
}

function firstRate(
  queries: readonly TriggerQuery[],
  ranks: readonly (number | undefined)[],
): Interval | undefined {
  const wanted = ranks.filter((_, at) => queries[at]?.shouldTrigger === true);
  return wilson(wanted.filter((rank) => rank === 1).length, wanted.length);
}
