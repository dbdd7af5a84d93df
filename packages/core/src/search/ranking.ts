import { type Candidate, findCandidates } from "./candidate.ts";
import { makeHit, type SearchHit } from "./hit.ts";
import { planQuery } from "./plan.ts";
import { type Query, readQuery } from "./query.ts";
import type { Segment } from "./segment.ts";
import type { Tally } from "./tally.ts";

export interface SearchOptions {
  /** How many hits at most; 10 by default. */
  readonly limit?: number;
  /** Whether a document may be seen. The others are left out before the best are chosen. */
  readonly accepts?: (id: string) => boolean;
  /** Added to the score, for instance for how often a skill is used; small beside 1. */
  readonly prior?: (id: string) => number;
}

const DEFAULT_LIMIT = 10;
/** So many candidates are weighed by all parts of the score. */
const DEPTH = 200;

interface Listed {
  readonly hit: SearchHit;
  readonly name: string;
  readonly key: string;
}

export function rank(
  text: string,
  segments: readonly Segment[],
  options: SearchOptions,
  tally: Tally,
): readonly SearchHit[] {
  const limit = Math.max(0, Math.floor(options.limit ?? DEFAULT_LIMIT));
  const query = readQuery(text);
  const listed = query.isBlank
    ? listAll(query, segments, options)
    : weigh(query, segments, options, limit, tally);
  if (!query.isStopWordsOnly) return foldCopies(listed.toSorted(compare), limit);
  // A name may be made of such words; all others follow, though nothing speaks for them.
  const named = new Set(listed.map(({ hit }) => hit.id));
  const others = listAll(query, segments, options).filter(({ hit }) => !named.has(hit.id));
  return foldCopies([...listed.toSorted(compare), ...others.toSorted(compare)], limit);
}

function weigh(
  query: Query,
  segments: readonly Segment[],
  { accepts = () => true, prior = () => 0 }: SearchOptions,
  limit: number,
  tally: Tally,
): readonly Listed[] {
  const plan = planQuery(query, segments);
  const depth = Math.max(DEPTH, limit);
  const candidates = [...findCandidates({ query, plan, segments, depth, accepts }, tally)];
  const best = candidates.reduce((most, { lexical }) => Math.max(most, lexical), 0);
  return candidates.map((candidate) =>
    list(candidate, makeHit(candidate, query, plan, best, prior(candidate.id))),
  );
}

function list({ segment, document }: Pick<Candidate, "segment" | "document">, hit: SearchHit): Listed {
  return { hit, name: segment.data.names.at(document), key: segment.data.keys.at(document) };
}

/** For a query that asks for nothing: everything, by prior and then by name. Where words were typed, all is weak. */
function listAll(
  { isBlank }: Query,
  segments: readonly Segment[],
  { accepts = () => true, prior = () => 0 }: SearchOptions,
): readonly Listed[] {
  const listed: Listed[] = [];
  const parts = { bm25: 0, coverage: 0, name: 0, trigram: 0 };
  for (const segment of segments) {
    for (let document = 0; document < segment.count; document += 1) {
      const id = segment.data.ids.at(document);
      if (segment.removed[document] !== 0 || !accepts(id)) continue;
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

/** One hit for each content, with the others named in it. */
function foldCopies(listed: readonly Listed[], limit: number): readonly SearchHit[] {
  const hits = new Map<string, { readonly hit: SearchHit; readonly copies: string[] }>();
  for (const { hit, key } of listed) {
    const first = hits.get(key);
    if (first !== undefined) first.copies.push(hit.id);
    else if (hits.size < limit) hits.set(key, { hit, copies: [] });
  }
  return Array.from(hits.values(), ({ hit, copies }) => ({ ...hit, copies }));
}
