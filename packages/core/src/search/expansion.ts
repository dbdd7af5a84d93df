import type { Segment } from "./segment.ts";

/** A term of the index, and in how many documents it is. */
export interface CountedTerm {
  readonly term: string;
  readonly count: number;
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
/** Between a beginning and the words it may become. */
const MOST_TERMS_READ = 4096;
const SHORTEST_TYPO = 4;
const LONGEST_TYPO = 24;

export function countDocuments(segments: readonly Segment[], term: string): number {
  let count = 0;
  for (const segment of segments) {
    const number = segment.data.terms.find(term);
    if (number !== undefined) count += segment.documentCount(number);
  }
  return count;
}

/** The commonest terms that begin with what was typed. */
export function completionsOf(
  segments: readonly Segment[],
  typed: string,
  most: number,
): readonly CountedTerm[] {
  const counts = new Map<string, number>();
  for (const segment of segments) {
    const { terms } = segment.data;
    const start = terms.lowerBound(typed);
    const stop = Math.min(terms.count, start + MOST_TERMS_READ);
    for (let number = start; number < stop && terms.startsWith(number, typed); number += 1) {
      const term = terms.at(number);
      if (term !== typed) counts.set(term, (counts.get(term) ?? 0) + segment.documentCount(number));
    }
  }
  return commonest(counts, most);
}

/** The commonest terms one slip away: a letter missing, doubled, wrong, or two in the wrong order. */
export function correctionsOf(
  segments: readonly Segment[],
  typed: string,
  most: number,
): readonly CountedTerm[] {
  if (typed.length < SHORTEST_TYPO || typed.length > LONGEST_TYPO) return [];
  const counts = new Map<string, number>();
  for (const term of slipsOf(typed)) {
    const count = countDocuments(segments, term);
    if (count > 0) counts.set(term, count);
  }
  return commonest(counts, most);
}

function slipsOf(word: string): ReadonlySet<string> {
  const slips = new Set<string>();
  for (let at = 0; at <= word.length; at += 1) {
    const before = word.slice(0, at);
    const after = word.slice(at);
    slips.add(before + after.slice(1));
    if (after.length > 1) slips.add(`${before}${after[1]}${after[0]}${after.slice(2)}`);
    for (const letter of LETTERS) slips.add(before + letter + after).add(before + letter + after.slice(1));
  }
  slips.delete(word);
  return slips;
}

function commonest(counts: ReadonlyMap<string, number>, most: number): readonly CountedTerm[] {
  return Array.from(counts, ([term, count]) => ({ term, count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.term < b.term ? -1 : 1))
    .slice(0, most);
}
