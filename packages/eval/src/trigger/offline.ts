import type { Library, SearchResult, Viewer } from "@skillhold/core/library";
import type { TriggerQuery } from "../format/trigger-set.ts";
import { present } from "../present.ts";
import { type Interval, wilson } from "../stats/interval.ts";

/** Where a skill stands among all others for one query, by Skillhold's own search. */
export interface OfflineRank {
  /** From 1; undefined when the search does not find it. */
  readonly rank?: number;
  /** Its score minus that of the best other skill; negative when another one is better. */
  readonly margin: number;
  /** The best other skill, and the words of the query that it has and this one lacks. */
  readonly rival?: { readonly skill: string; readonly words: readonly string[] };
}

export interface OfflineQueryReport extends TriggerQuery, OfflineRank {}

export interface SearchPlace {
  readonly library: Pick<Library, "search">;
  readonly viewer: Viewer;
}

const DEPTH = 50;

export async function rankOffline(
  query: string,
  skill: string,
  { library, viewer }: SearchPlace,
): Promise<OfflineRank> {
  const results = await library.search(viewer, query, { limit: DEPTH });
  const at = results.findIndex(({ entry }) => entry.id === skill);
  const own = results[at];
  const rival = results.find(({ entry }) => entry.id !== skill);
  const margin = (own?.hit.score ?? 0) - (rival?.hit.score ?? 0);
  return {
    ...(at < 0 ? {} : { rank: at + 1 }),
    margin,
    ...(rival === undefined ? {} : { rival: { skill: rival.entry.id, words: wordsAgainst(rival, own) } }),
  };
}

function wordsAgainst(rival: SearchResult, own: SearchResult | undefined): readonly string[] {
  const had = new Set(own?.hit.matched ?? []);
  return rival.hit.matched.filter((word) => !had.has(word));
}

/** The words of a query that another skill has and this one lacks. */
export async function wordsFor(
  query: string,
  other: string,
  skill: string,
  { library, viewer }: SearchPlace,
) {
  const results = await library.search(viewer, query, { limit: DEPTH });
  const find = (id: string) => results.find(({ entry }) => entry.id === id);
  const rival = find(other);
  return rival === undefined ? [] : wordsAgainst(rival, find(skill));
}

/** A trigger report without a model. */
export interface OfflineReport {
  readonly kind: "offline";
  readonly skill: string;
  readonly treeHash: string;
  readonly at: string;
  /** How many skills it is ranked among. */
  readonly skills: number;
  /** Of the queries that should trigger, those that rank it first, among the first three, among the first five. */
  readonly hitAt1?: Interval;
  readonly hitAt3?: Interval;
  readonly hitAt5?: Interval;
  /** Of the queries that should not trigger, those that rank it first all the same. */
  readonly falseFirst?: Interval;
  /** Fitted on the trigger sets of the other skills; undefined when they have too few queries. */
  readonly threshold?: FittedThreshold;
  /** With the threshold: of the queries that should not trigger, those that it keeps out. */
  readonly abstained?: Interval;
  readonly queries: readonly OfflineQueryReport[];
  readonly notes: readonly string[];
}

export interface FittedThreshold {
  readonly margin: number;
  /** How many queries of other skills it was fitted on, and the balanced accuracy there. */
  readonly queries: number;
  readonly accuracy: number;
}

export interface OfflineRequest {
  readonly skill: string;
  readonly treeHash: string;
  readonly at: Date;
  readonly skills: number;
  readonly queries: readonly TriggerQuery[];
  /** The trigger sets of the other skills in the catalogue, by id. */
  readonly others: ReadonlyMap<string, readonly TriggerQuery[]>;
}

export async function reportOffline(
  { skill, treeHash, at, skills, queries, others }: OfflineRequest,
  place: SearchPlace,
): Promise<OfflineReport> {
  const rows: OfflineQueryReport[] = [];
  for (const query of queries) rows.push({ ...query, ...(await rankOffline(query.query, skill, place)) });
  const positives = rows.filter(({ shouldTrigger }) => shouldTrigger);
  const negatives = rows.filter(({ shouldTrigger }) => !shouldTrigger);
  const within = (most: number) =>
    wilson(positives.filter(({ rank = Infinity }) => rank <= most).length, positives.length);
  const threshold = fitThreshold(await rankOthers(others, place));
  return {
    kind: "offline",
    skill,
    treeHash,
    at: at.toISOString(),
    skills,
    ...present({
      hitAt1: within(1),
      hitAt3: within(3),
      hitAt5: within(5),
      falseFirst: wilson(negatives.filter(({ rank }) => rank === 1).length, negatives.length),
      threshold,
    }),
    ...(threshold === undefined
      ? {}
      : present({
          abstained: wilson(
            negatives.filter((row) => !fires(row, threshold.margin)).length,
            negatives.length,
          ),
        })),
    queries: rows,
    notes: notesOf(negatives.length, threshold),
  };
}

/** Whether a query would trigger the skill by search alone. */
export function fires({ rank, margin }: OfflineRank, threshold: number): boolean {
  return rank === 1 && margin >= threshold;
}

async function rankOthers(
  others: ReadonlyMap<string, readonly TriggerQuery[]>,
  place: SearchPlace,
): Promise<readonly OfflineQueryReport[]> {
  const rows: OfflineQueryReport[] = [];
  for (const [id, queries] of others)
    for (const query of queries) rows.push({ ...query, ...(await rankOffline(query.query, id, place)) });
  return rows;
}

const FEWEST_QUERIES = 20;

/**
 * The margin with the best balanced accuracy. Contract: the rows are of other skills than the one that is judged by
 * it, so that the threshold has not seen the answers.
 */
export function fitThreshold(rows: readonly OfflineQueryReport[]): FittedThreshold | undefined {
  const positives = rows.filter(({ shouldTrigger }) => shouldTrigger);
  const negatives = rows.filter(({ shouldTrigger }) => !shouldTrigger);
  if (rows.length < FEWEST_QUERIES || positives.length === 0 || negatives.length === 0) return undefined;
  const candidates = [...new Set([0, ...rows.map(({ margin }) => margin).filter((margin) => margin > 0)])];
  const scored = candidates.map((margin) => {
    const recall = positives.filter((row) => fires(row, margin)).length / positives.length;
    const rejected = negatives.filter((row) => !fires(row, margin)).length / negatives.length;
    return { margin, queries: rows.length, accuracy: (recall + rejected) / 2 };
  });
  return scored.toSorted((a, b) => b.accuracy - a.accuracy || a.margin - b.margin)[0];
}

function notesOf(negatives: number, threshold: FittedThreshold | undefined): readonly string[] {
  return [
    "Search ranks well and abstains badly: a model is needed for the queries that should not trigger.",
    ...(negatives === 0 ? ["The set has no query that should not trigger."] : []),
    ...(threshold === undefined
      ? [
          `The other skills have fewer than ${FEWEST_QUERIES} trigger queries, so that no margin could be fitted.`,
        ]
      : []),
  ];
}
