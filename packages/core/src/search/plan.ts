import { completionsOf, correctionsOf, countDocuments } from "./expansion.ts";
import type { Query, QueryTerm } from "./query.ts";
import type { Segment } from "./segment.ts";

/** What to look up for a query in the index at hand. */
export interface Plan {
  /** At most 32, so that the terms a document has fit into one number. */
  readonly terms: readonly PlannedTerm[];
  /** The weight of all terms of the query, those that no document has included. */
  readonly totalWeight: number;
  /** The weight of a term that is nowhere: the most that one term can say. */
  readonly highestWeight: number;
}

export interface PlannedTerm {
  readonly typed: string;
  readonly weight: number;
  /** What counts as this term, best first; a document is given the first that it has. */
  readonly alternatives: readonly Alternative[];
}

export interface Alternative {
  readonly term: string;
  readonly weight: number;
}

export const MOST_TERMS = 32;
const MOST_COMPLETIONS = 8;
const MOST_CORRECTIONS = 3;
/** What a guess is worth beside the word itself. */
const GUESS_FACTOR = 0.5;
/** A beginning of fewer letters could be anything; a character of an unspaced script is nearly a word. */
const OPEN_WORD = /^(?:[a-z0-9]{2,}|[^\0-\x7F]+)$/;

export function planQuery(query: Query, segments: readonly Segment[]): Plan {
  const total = segments.reduce((sum, { liveCount }) => sum + liveCount, 0);
  const rarity = (count: number): number => Math.log(1 + Math.max(0, total - count + 0.5) / (count + 0.5));
  const weigh = (count: number, { frequency }: QueryTerm): number =>
    rarity(count) * (1 + Math.log(frequency));
  const terms = query.terms.map((term) => {
    const count = countDocuments(segments, term.term);
    const weight = weigh(count, term);
    const own = count > 0 ? [{ term: term.term, weight }] : [];
    const guesses = query.isShort ? guess(segments, term, count) : [];
    // A guess is never rarer, and so never worth more, than the word that was typed.
    const guessed = guesses.map((other) => ({
      term: other.term,
      weight: GUESS_FACTOR * Math.min(weight, weigh(other.count, term)),
    }));
    return { typed: term.typed, weight, alternatives: [...own, ...guessed] };
  });
  const heaviest = terms.toSorted((a, b) => b.weight - a.weight).slice(0, MOST_TERMS);
  return {
    terms: terms
      .filter(({ alternatives }) => alternatives.length > 0)
      .toSorted((a, b) => b.weight - a.weight)
      .slice(0, MOST_TERMS),
    totalWeight: heaviest.reduce((sum, { weight }) => sum + weight, 0),
    highestWeight: rarity(0),
  };
}

function guess(segments: readonly Segment[], { term, isOpen }: QueryTerm, count: number) {
  const completions = isOpen && OPEN_WORD.test(term) ? completionsOf(segments, term, MOST_COMPLETIONS) : [];
  if (count > 0 || completions.length > 0) return completions;
  return correctionsOf(segments, term, MOST_CORRECTIONS);
}
