import type { Library, Viewer } from "@skillhold/core/library";
import { SkillError } from "@skillhold/protocol/error";
import { readEvalSet } from "../format/read-eval-set.ts";
import { readTriggerSet, type TriggerQuery, triggersOf } from "../format/trigger-set.ts";
import { type OfflineReport, reportOffline } from "./offline.ts";

/** Where a skill keeps its evals, in the order in which they are looked for. */
export const EVAL_FILES = ["evals/evals.json", "evals/evals.yaml", "evals/eval.yaml", "tests/eval.yaml"];
export const TRIGGER_FILES = ["evals/triggers.json", "evals/eval_queries.json", "evals/trigger_evals.json"];

export interface SkillPlace {
  readonly library: Pick<Library, "list" | "search" | "resource">;
  readonly viewer: Viewer;
}

/** Ranks a skill for its own trigger queries by search alone. Undefined for a skill without queries. */
export async function scoreOffline(
  { skill, treeHash, at }: Pick<OfflineReport, "skill" | "treeHash"> & { readonly at: Date },
  place: SkillPlace,
): Promise<OfflineReport | undefined> {
  const queries = await findTriggers(skill, place);
  if (queries.length === 0) return undefined;
  const skills = (await place.library.list(place.viewer)).length;
  const others = await otherTriggers(skill, place);
  return await reportOffline({ skill, treeHash, at, skills, queries, others }, place);
}

async function findTriggers(skill: string, place: SkillPlace): Promise<readonly TriggerQuery[]> {
  for (const file of TRIGGER_FILES) {
    const text = await readText(skill, file, place);
    if (text !== undefined) return readTriggerSet(text, file).queries;
  }
  for (const file of EVAL_FILES) {
    const text = await readText(skill, file, place);
    const set = text === undefined ? undefined : readEvalSet(text, file).set;
    if (set !== undefined) return triggersOf(set, skill);
  }
  return [];
}

const MOST_OTHERS = 500;

/** The trigger sets of the other skills that the viewer sees. */
export async function otherTriggers(
  skill: string,
  place: SkillPlace,
): Promise<ReadonlyMap<string, readonly TriggerQuery[]>> {
  const others = new Map<string, readonly TriggerQuery[]>();
  for (const { id } of (await place.library.list(place.viewer)).slice(0, MOST_OTHERS)) {
    if (id === skill) continue;
    const text = await readText(id, "evals/triggers.json", place);
    const queries = text === undefined ? [] : readTriggerSet(text, "triggers.json").queries;
    if (queries.length > 0) others.set(id, queries);
  }
  return others;
}

async function readText(skill: string, file: string, { library, viewer }: SkillPlace) {
  try {
    return (await library.resource(viewer, skill, file)).content;
  } catch (error) {
    // A skill need not have evals.
    if (error instanceof SkillError) return undefined;
    throw error;
  }
}
