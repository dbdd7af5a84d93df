import type { Candidate } from "./candidate.ts";
import { fieldRules, fieldsOf, HIGHEST_IMPACT, type SearchField } from "./document.ts";
import type { Plan } from "./plan.ts";
import type { Query } from "./query.ts";
import { beginningOf, compactName } from "./trigram.ts";

/** A document that fits a query, and why. */
export interface SearchHit {
  readonly id: string;
  /** Higher is better. Hits of one query can be compared, those of two cannot. */
  readonly score: number;
  readonly parts: ScoreParts;
  /** The words of the query that it has, as they were typed. */
  readonly matched: readonly string[];
  readonly fields: readonly SearchField[];
  /** Too little of the query is here to call it an answer. */
  readonly isWeak: boolean;
  /** Other documents with the same content that fit as well and are not listed. */
  readonly copies: readonly string[];
}

/** Each from 0 to 1, before its weight. */
export interface ScoreParts {
  /** Beside the best document of this query. */
  readonly bm25: number;
  /** Share of the query's terms that it has. */
  readonly coverage: number;
  /** Share of its name's terms that the query has. */
  readonly name: number;
  /** How alike its name and the whole query are; only for short queries. */
  readonly trigram: number;
}

const WEIGHT = { coverage: 0.3, name: 0.2, trigram: 1.5 };
/** Any of these makes a hit strong. Between them they part tasks with a skill from questions about anything else. */
const STRONG = {
  /** Share of the query's weight that the document has. */
  share: 0.5,
  /** As much as so many of the rarest terms in the best of places. */
  evidence: 0.75,
  /** Of the name and the query. */
  similarity: 0.5,
};

/** Contract: `best` is the highest lexical sum among the candidates, and `prior` small beside 1. */
export function makeHit(
  candidate: Candidate,
  query: Query,
  plan: Plan,
  best: number,
  prior: number,
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
      WEIGHT.trigram * parts.trigram ** 2 +
      prior,
    parts,
    matched: [...new Set(matched.map(({ typed }) => typed))],
    fields: fieldsOf(candidate.fields | (isByName ? fieldRules.name.bit : 0)),
    isWeak: !(share >= STRONG.share || evidence >= STRONG.evidence || isByName),
    copies: [],
  };
}
