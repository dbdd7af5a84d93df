import type { Plan } from "./plan.ts";
import type { Segment } from "./segment.ts";

/** Sets the terms of exclusions apart from all others, which have no control characters. */
const MARK = "\u0002";

/** The term of the index for a word in the exclusions of a document. */
export function exclusionTerm(term: string): string {
  return MARK + term;
}

/** The weight of the query's terms in the exclusions of each document. Most documents have no matching exclusion. */
export function weighExclusions(segment: Segment, plan: Plan): ReadonlyMap<number, number> {
  const weights = new Map<number, number>();
  const { terms } = segment.data;
  // Most indexes have no exclusions at all, and one lookup shows it.
  const first = terms.lowerBound(MARK);
  if (!terms.startsWith(first, MARK)) return weights;
  for (const { term, weight } of plan.asked) {
    const number = terms.find(exclusionTerm(term));
    if (number === undefined) continue;
    const cursor = segment.postingsOf(number);
    while (cursor.next()) weights.set(cursor.document, (weights.get(cursor.document) ?? 0) + weight);
  }
  return weights;
}
