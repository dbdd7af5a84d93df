import { weighExclusions } from "./exclusion.ts";
import type { Plan } from "./plan.ts";
import type { Query } from "./query.ts";
import type { Scope, ScopedSegment } from "./scope.ts";
import type { Segment } from "./segment.ts";
import type { Tally } from "./tally.ts";
import { TopList } from "./top-list.ts";
import { similarityOf } from "./trigram.ts";

/** A document that may become a hit, with the counts of one query. */
export interface Candidate {
  readonly id: string;
  readonly segment: Segment;
  readonly document: number;
  /** Sum of weight times impact, to be compared within one query only. */
  readonly lexical: number;
  readonly terms: number;
  readonly fields: number;
  readonly nameHits: number;
  /** How alike its name and the query are. */
  readonly similarity: number;
  /** The weight of the query's terms that its author excludes. */
  readonly excluded: number;
}

export interface CandidateRequest {
  readonly query: Query;
  readonly plan: Plan;
  readonly scope: Scope;
  readonly depth: number;
}

/** Names that are found by their spelling alone. */
const NAME_DEPTH = 50;
const LEAST_SIMILARITY = 0.3;

/** The best documents by their words and the best by their names. */
export function findCandidates(request: CandidateRequest, tally: Tally): ReadonlySet<Candidate> {
  const byWords = new TopList<Candidate>(request.depth, (a, b) => isBetter(a.lexical - b.lexical, a, b));
  const byName = new TopList<Candidate>(NAME_DEPTH, (a, b) => isBetter(a.similarity - b.similarity, a, b));
  const trigramCount = request.query.trigrams.length;
  // Nearly every document is below these, so that most of them cost two comparisons.
  let leastLexical = Number.MIN_VALUE;
  let leastSimilarity = LEAST_SIMILARITY;
  for (const scoped of request.scope.segments) {
    const { segment } = scoped;
    tally.count(segment, request.query, request.plan);
    const exclusions = weighExclusions(segment, request.plan);
    const { scores, trigrams } = tally;
    const { nameTrigrams } = segment.data;
    for (let document = 0; document < segment.count; document += 1) {
      const lexical = scores[document] ?? 0;
      const shared = trigrams[document] ?? 0;
      const similarity = shared === 0 ? 0 : similarityOf(shared, trigramCount, nameTrigrams[document] ?? 0);
      if (lexical < leastLexical && similarity < leastSimilarity) continue;
      const candidate = readCandidate(scoped, document, tally, similarity, exclusions.get(document) ?? 0);
      if (candidate === undefined) continue;
      if (lexical >= leastLexical) byWords.add(candidate);
      if (similarity >= leastSimilarity) byName.add(candidate);
      leastLexical = byWords.least?.lexical ?? leastLexical;
      leastSimilarity = byName.least?.similarity ?? leastSimilarity;
    }
  }
  return new Set([...byWords.values(), ...byName.values()]);
}

function readCandidate(
  { segment, visible }: ScopedSegment,
  document: number,
  tally: Tally,
  similarity: number,
  excluded: number,
): Candidate | undefined {
  if (visible !== undefined && visible[document] === 0) return undefined;
  return {
    id: segment.data.ids.at(document),
    segment,
    document,
    lexical: tally.scores[document] ?? 0,
    terms: tally.terms[document] ?? 0,
    fields: (tally.fields[document] ?? 0) & 0xff,
    nameHits: tally.nameHits(document),
    similarity,
    excluded,
  };
}

function isBetter(difference: number, a: Candidate, b: Candidate): boolean {
  return difference === 0 ? a.id < b.id : difference > 0;
}
