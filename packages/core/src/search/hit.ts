import type { Candidate } from "./candidate.ts";
import { fieldRules, fieldsOf, HIGHEST_IMPACT, type SearchField } from "./document.ts";
import type { Plan } from "./plan.ts";
import type { Query } from "./query.ts";
import { beginningOf, compactName } from "./trigram.ts";

/** A document that fits a query, and the reasons. */
export interface SearchHit {
  readonly id: string;
  /** Higher is better. Hits of one query can be compared, those of two cannot. */
  readonly score: number;
  readonly parts: ScoreParts;
  /** The words of the query that it has, as they were typed. */
  readonly matched: readonly string[];
  readonly fields: readonly SearchField[];
  /** True for a hit that may be there only because no skill fits. */
  readonly isWeak: boolean;
  /** Other documents with the same content that fit as well and are not listed. */
  readonly copies: readonly string[];
}

/** Each from 0 to 1, before its weight, except `prior`. */
export interface ScoreParts {
  /** Beside the best document of this query. */
  readonly bm25: number;
  /** Share of the query's terms that it has. */
  readonly coverage: number;
  /** Share of its name's terms that the query has. */
  readonly name: number;
  /** How alike its name and the whole query are; only for short queries. */
  readonly trigram: number;
  /** Share of the query's weight that its author names as a reason not to use it. Lowers the score. */
  readonly excluded: number;
  /** How close its meaning is to that of the query, beside the other candidates; 0 without an embedder. */
  readonly semantic: number;
  /** For the use of the skill; added as it is. */
  readonly prior: number;
  /** The place that a reranker gave it: 1 for the first, 0 without a reranker. */
  readonly rerank: number;
}

/** Measured; the weights of scores, because fusing ranks lost to the words alone. */
const WEIGHT = { coverage: 0.3, name: 0.2, trigram: 1.5, excluded: 0.5, semantic: 0.4 };
/**
 * Any of these makes a hit strong. Fitted on authors' triggers, with and without the skill that they are for, so that
 * nine of ten right hits are strong.
 */
const STRONG = {
  /** Share of a short query's weight that the document has. */
  share: 0.5,
  shortTerms: 3,
  /** Evidence for the document times the lead of the best document over the field. */
  lead: 0.4,
  /** The least part of the best document's score that is worth a look. */
  part: 0.5,
  /** Of the name and the query. */
  similarity: 0.5,
};

/** The scores of one query that a hit is compared with. */
export interface Field {
  /** The highest lexical score among the candidates. */
  readonly best: number;
  /** How far the best score is above that of the field, from 0 to 1. */
  readonly lead: number;
}

/** Contract: `total` is the number of documents that the candidates were found among. */
export function readField(candidates: readonly Candidate[], total: number): Field {
  const scores = candidates.map(({ lexical }) => lexical).toSorted((a, b) => b - a);
  const [best = 0] = scores;
  // More skills of one kind are expected among more skills: 5 of 128, 25 of 10,000.
  const usual = scores[Math.max(2, Math.round(total ** 0.35)) - 1] ?? 0;
  return { best, lead: best > 0 ? 1 - usual / best : 0 };
}

/** Contract: `prior` of the extras is small beside 1. */
export function makeHit(
  candidate: Candidate,
  query: Query,
  plan: Plan,
  { best, lead }: Field,
  extras: Pick<ScoreParts, "prior" | "semantic">,
): SearchHit {
  const { segment, document, lexical, nameHits } = candidate;
  const matched = plan.terms.filter((_, index) => (candidate.terms & (1 << index)) !== 0);
  const parts = {
    bm25: best > 0 ? lexical / best : 0,
    coverage: plan.terms.length > 0 ? matched.length / plan.terms.length : 0,
    name: Math.min(1, nameHits / Math.max(1, segment.data.nameTerms[document] ?? 0)),
    trigram: Math.max(
      candidate.similarity,
      query.isShort ? beginningOf(query.compact, compactName(segment.data.names.at(document))) : 0,
    ),
    excluded: plan.totalWeight > 0 ? Math.min(1, candidate.excluded / plan.totalWeight) : 0,
    ...extras,
    rerank: 0,
  };
  const weight = matched.reduce((sum, term) => sum + term.weight, 0);
  // A query without terms is found by name alone.
  const share = plan.totalWeight > 0 ? weight / plan.totalWeight : 0;
  const evidence = lexical / (HIGHEST_IMPACT * plan.highestWeight);
  const isByName = parts.trigram >= STRONG.similarity;
  return {
    id: candidate.id,
    score:
      parts.bm25 +
      WEIGHT.coverage * parts.coverage +
      WEIGHT.name * parts.name +
      WEIGHT.trigram * parts.trigram ** 2 -
      // Squared, because a word or two in common with an exclusion say little.
      WEIGHT.excluded * parts.excluded ** 2 +
      WEIGHT.semantic * parts.semantic +
      parts.prior,
    parts,
    matched: [...new Set(matched.map(({ typed }) => typed))],
    fields: fieldsOf(candidate.fields | (isByName ? fieldRules.name.bit : 0)),
    isWeak: !(
      isByName ||
      (query.terms.length <= STRONG.shortTerms && share >= STRONG.share) ||
      (evidence * lead >= STRONG.lead && lexical >= STRONG.part * best)
    ),
    copies: [],
  };
}
