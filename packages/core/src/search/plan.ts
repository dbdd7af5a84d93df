import { completionsOf, correctionsOf } from "./expansion.ts";
import type { Query, QueryTerm } from "./query.ts";
import type { Scope } from "./scope.ts";
import { TopList } from "./top-list.ts";

/** The terms to look up for a query, and their weights in one scope. */
export interface Plan {
  /** At most 32, so that the terms a document has fit into one number. */
  readonly terms: readonly PlannedTerm[];
  /** The heaviest terms of the query, including those that no document has. */
  readonly asked: readonly Alternative[];
  /** The weight of all terms of the query, including those that no document has. */
  readonly totalWeight: number;
  /** The weight of a term that no document has, which is the highest weight of a term. */
  readonly highestWeight: number;
}

export interface PlannedTerm {
  readonly term: string;
  readonly typed: string;
  readonly weight: number;
  /** The term and its expansions, best first; a document scores with the first one that it has. */
  readonly alternatives: readonly Alternative[];
}

export interface Alternative {
  readonly term: string;
  readonly weight: number;
}

export const MOST_TERMS = 32;
const MOST_COMPLETIONS = 8;
const MOST_CORRECTIONS = 3;
/** The weight of an expansion beside that of the typed word. */
const GUESS_FACTOR = 0.5;
/** A prefix of fewer letters is too vague; a character of an unspaced script is nearly a word. */
const OPEN_WORD = /^(?:[a-z0-9]{2,}|[^\0-\x7F]+)$/;

export function planQuery(query: Query, scope: Scope): Plan {
  const counted = countTerms(query, scope);
  const weigh = weigher(scope.count);
  const terms = counted.map(({ term, count, weight }) => {
    const own = count > 0 ? [{ term: term.term, weight }] : [];
    const guesses = query.isShort ? guess(scope, term, count) : [];
    // A guess is never rarer, and so never worth more, than the typed word.
    const guessed = guesses.map((other) => ({
      term: other.term,
      weight: GUESS_FACTOR * Math.min(weight, weigh(other.count, term.frequency)),
    }));
    return { term: term.term, typed: term.typed, weight, alternatives: [...own, ...guessed] };
  });
  const heaviest = terms.toSorted((a, b) => b.weight - a.weight).slice(0, MOST_TERMS);
  return {
    terms: terms
      .filter(({ alternatives }) => alternatives.length > 0)
      .toSorted((a, b) => b.weight - a.weight)
      .slice(0, MOST_TERMS),
    asked: heaviest.map(({ term, weight }) => ({ term, weight })),
    totalWeight: heaviest.reduce((sum, { weight }) => sum + weight, 0),
    highestWeight: weigh(0, 1),
  };
}

interface CountedQueryTerm {
  readonly term: QueryTerm;
  /** Exact for every term that can be among the heaviest; for the others, enough to keep them out. */
  readonly count: number;
  readonly weight: number;
}

/** In the order of the query. Rare terms are counted first, because common ones then need not be counted to the end. */
function countTerms({ terms }: Query, scope: Scope): readonly CountedQueryTerm[] {
  const weigh = weigher(scope.count);
  const heaviest = new TopList<number>(MOST_TERMS, (a, b) => a > b);
  const rarestFirst = terms
    .map((term, place) => ({ term, place, bound: scope.boundDocuments(term.term) }))
    .toSorted((a, b) => a.bound - b.bound);
  const counted: CountedQueryTerm[] = [];
  for (const { term, place, bound } of rarestFirst) {
    const most = highestCount(scope.count, heaviest.least, term.frequency);
    const count = bound === 0 ? 0 : scope.countDocuments(term.term, most);
    const weight = weigh(count, term.frequency);
    if (count > 0) heaviest.add(weight);
    counted[place] = { term, count, weight };
  }
  return counted;
}

/** The weight of a term by the number of documents that have it, and how often the query has it. */
function weigher(total: number): (count: number, frequency: number) => number {
  return (count, frequency) =>
    Math.log(1 + Math.max(0, total - count + 0.5) / (count + 0.5)) * (1 + Math.log(frequency));
}

/** The count at which a term is lighter than `least`, with one to spare for rounding. */
function highestCount(total: number, least: number | undefined, frequency: number): number {
  if (least === undefined) return Number.POSITIVE_INFINITY;
  return Math.ceil((total + 1) / Math.exp(least / (1 + Math.log(frequency)))) + 1;
}

function guess(scope: Scope, { term, isOpen }: QueryTerm, count: number) {
  const completions = isOpen && OPEN_WORD.test(term) ? completionsOf(scope, term, MOST_COMPLETIONS) : [];
  if (count > 0 || completions.length > 0) return completions;
  return correctionsOf(scope, term, MOST_CORRECTIONS);
}
