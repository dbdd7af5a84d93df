import { type Candidate, findCandidates } from "./candidate.ts";
import { differencesOf, isDetailed } from "./fingerprint.ts";
import { makeHit, readField, type SearchHit } from "./hit.ts";
import { planQuery } from "./plan.ts";
import { type Query, readQuery } from "./query.ts";
import { Scope } from "./scope.ts";
import type { Segment } from "./segment.ts";
import { closenessOf, findClosest, type SemanticQuery } from "./semantic.ts";
import { type Accepts, Sight } from "./sight.ts";
import type { Tally } from "./tally.ts";

export interface SearchOptions {
  /** How many hits at most; 10 by default. */
  readonly limit?: number;
  /** Whether a document may be seen. The answer is the one of an index without the others. */
  readonly accepts?: Accepts;
  /** The same, remembered between searches; replaces `accepts`. */
  readonly sight?: Sight;
  /** The vectors of query and documents; without it the words alone decide. */
  readonly semantic?: SemanticQuery | undefined;
  /** Added to the score, for instance for the use of a skill; small beside 1. */
  readonly prior?: (id: string) => number;
}

const DEFAULT_LIMIT = 10;
/** So many candidates are weighed by all parts of the score. */
const DEPTH = 200;

interface Listed {
  readonly hit: SearchHit;
  readonly name: string;
  readonly key: string;
  readonly fingerprint: Uint8Array;
}

/** Buckets of a fingerprint that may differ between two near copies. */
const NEAR = { sameName: 5, otherName: 1 };

export function rank(
  text: string,
  segments: readonly Segment[],
  options: SearchOptions,
  tally: Tally,
): readonly SearchHit[] {
  const limit = Math.max(0, Math.floor(options.limit ?? DEFAULT_LIMIT));
  const query = readQuery(text);
  const { accepts, sight = accepts && new Sight(accepts), prior = () => 0, semantic } = options;
  const scope = new Scope(segments, sight);
  const listed = query.isBlank
    ? listAll(query, scope, prior)
    : weigh(query, scope, { prior, semantic, limit }, tally);
  if (!query.isStopWordsOnly) return foldCopies(listed.toSorted(compare), limit);
  // A name may consist of stop words. All other skills follow as weak hits.
  const named = new Set(listed.map(({ hit }) => hit.id));
  const others = listAll(query, scope, prior).filter(({ hit }) => !named.has(hit.id));
  return foldCopies([...listed.toSorted(compare), ...others.toSorted(compare)], limit);
}

type Prior = (id: string) => number;

interface Weighing {
  readonly prior: Prior;
  readonly semantic: SemanticQuery | undefined;
  readonly limit: number;
}

function weigh(
  query: Query,
  scope: Scope,
  { prior, semantic, limit }: Weighing,
  tally: Tally,
): readonly Listed[] {
  const plan = planQuery(query, scope);
  const depth = Math.max(DEPTH, limit);
  const candidates = [...findCandidates({ query, plan, scope, depth }, tally)];
  if (semantic !== undefined && candidates.length < limit) {
    const known = new Set(candidates.map(({ id }) => id));
    candidates.push(...findClosest(scope, semantic, limit - candidates.length, known));
  }
  const closeness = semantic && closenessOf(candidates, semantic);
  const field = readField(candidates, scope.count);
  return candidates.map((candidate) =>
    list(
      candidate,
      makeHit(candidate, query, plan, field, {
        prior: prior(candidate.id),
        semantic: closeness?.get(candidate) ?? 0,
      }),
    ),
  );
}

function list({ segment, document }: Pick<Candidate, "segment" | "document">, hit: SearchHit): Listed {
  return {
    hit,
    name: segment.data.names.at(document),
    key: segment.data.keys.at(document),
    fingerprint: segment.fingerprintOf(document),
  };
}

/** Everything by prior and then by name, for a query without words to look for. */
function listAll({ isBlank }: Query, scope: Scope, prior: Prior): readonly Listed[] {
  const listed: Listed[] = [];
  const parts = { bm25: 0, coverage: 0, name: 0, trigram: 0, excluded: 0, semantic: 0, prior: 0, rerank: 0 };
  for (const { segment, visible } of scope.segments) {
    for (let document = 0; document < segment.count; document += 1) {
      if (visible !== undefined && visible[document] === 0) continue;
      const id = segment.data.ids.at(document);
      const hit = { id, score: prior(id), parts, matched: [], fields: [], isWeak: !isBlank, copies: [] };
      listed.push(list({ segment, document }, hit));
    }
  }
  return listed;
}

function compare(a: Listed, b: Listed): number {
  return b.hit.score - a.hit.score || order(a.name, b.name) || order(a.hit.id, b.hit.id);
}

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** One hit for each content, with its copies and near copies named in it. */
function foldCopies(listed: readonly Listed[], limit: number): readonly SearchHit[] {
  const byKey = new Map<string, Folded>();
  const folded: Folded[] = [];
  for (const each of listed) {
    const same = byKey.get(each.key) ?? folded.find(({ first }) => isCopy(first, each));
    if (same !== undefined) same.copies.push(each.hit.id);
    else if (folded.length < limit) folded.push({ first: each, copies: [] });
    else continue;
    byKey.set(each.key, same ?? (folded.at(-1) as Folded));
  }
  return folded.map(({ first, copies }) => ({ ...first.hit, copies }));
}

interface Folded {
  readonly first: Listed;
  readonly copies: string[];
}

/** Two versions of one skill. Skills of one template differ in their names and need more in common. */
function isCopy(first: Listed, other: Listed): boolean {
  // A query without words lists everything, and near copies are only looked for among hits.
  if (other.hit.matched.length === 0) return false;
  const differences = differencesOf(first.fingerprint, other.fingerprint, NEAR.sameName);
  if (differences > NEAR.sameName) return false;
  const names = new Set(first.name.split(" "));
  const isNamesake = other.name.split(" ").some((name) => names.has(name));
  if (!isDetailed(first.fingerprint)) return isNamesake && differences === 0;
  return isNamesake || differences <= NEAR.otherName;
}
