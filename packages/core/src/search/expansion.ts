import { countPostings, type Scope, type ScopedSegment } from "./scope.ts";
import { TopList } from "./top-list.ts";

/** A term of the index, and in how many documents of the scope it is. */
export interface CountedTerm {
  readonly term: string;
  readonly count: number;
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
/** Sorts after every term that begins with the text before it. */
const LAST_UNIT = "\uffff";
const SHORTEST_TYPO = 4;
const LONGEST_TYPO = 24;

/** The commonest terms that begin with the typed text. Terms without a document in the scope do not exist. */
export function completionsOf(scope: Scope, typed: string, most: number): readonly CountedTerm[] {
  const best = new TopList<CountedTerm>(most, isCommoner);
  const [only, ...others] = scope.segments;
  if (only !== undefined && others.length === 0) completeInOne(only, typed, best);
  else completeInAll(scope.segments, typed, best);
  return best.values().toSorted((a, b) => (isCommoner(a, b) ? -1 : 1));
}

/** The commonest terms one typo away: a letter missing, added or wrong, or two letters swapped. */
export function correctionsOf(scope: Scope, typed: string, most: number): readonly CountedTerm[] {
  if (typed.length < SHORTEST_TYPO || typed.length > LONGEST_TYPO) return [];
  const best = new TopList<CountedTerm>(most, isCommoner);
  for (const term of typosOf(typed)) {
    const count = scope.countDocuments(term);
    if (count > 0) best.add({ term, count });
  }
  return best.values().toSorted((a, b) => (isCommoner(a, b) ? -1 : 1));
}

/** The usual case, which needs no comparison of strings. */
function completeInOne(scoped: ScopedSegment, typed: string, best: TopList<CountedTerm>): void {
  const { segment } = scoped;
  const { terms } = segment.data;
  const end = terms.lowerBound(typed + LAST_UNIT);
  for (let number = terms.lowerBound(typed); number < end; number += 1) {
    // Counting in the scope is slow, and the stored count is an upper bound of it.
    if (segment.storedCount(number) < (best.least?.count ?? 1)) continue;
    const count = countPostings(scoped, number);
    const term = terms.at(number);
    if (count > 0 && term !== typed) best.add({ term, count });
  }
}

/** Walks the sorted terms of all segments side by side, because a term may be in several of them. */
function completeInAll(segments: readonly ScopedSegment[], typed: string, best: TopList<CountedTerm>): void {
  let open = segments.map((scoped) => {
    const { terms } = scoped.segment.data;
    const at = terms.lowerBound(typed);
    return { scoped, terms, at, end: terms.lowerBound(typed + LAST_UNIT), term: terms.at(at) };
  });
  for (;;) {
    open = open.filter(({ at, end }) => at < end);
    const term = open.reduce<string | undefined>(
      (first, { term }) => (first === undefined || term < first ? term : first),
      undefined,
    );
    if (term === undefined) return;
    let count = 0;
    for (const cursor of open) {
      if (cursor.term !== term) continue;
      count += countPostings(cursor.scoped, cursor.at);
      cursor.at += 1;
      cursor.term = cursor.terms.at(cursor.at);
    }
    if (count > 0 && term !== typed) best.add({ term, count });
  }
}

function typosOf(word: string): ReadonlySet<string> {
  const typos = new Set<string>();
  for (let at = 0; at <= word.length; at += 1) {
    const before = word.slice(0, at);
    const after = word.slice(at);
    typos.add(before + after.slice(1));
    if (after.length > 1) typos.add(`${before}${after[1]}${after[0]}${after.slice(2)}`);
    for (const letter of LETTERS) typos.add(before + letter + after).add(before + letter + after.slice(1));
  }
  typos.delete(word);
  return typos;
}

function isCommoner(a: CountedTerm, b: CountedTerm): boolean {
  return a.count === b.count ? a.term < b.term : a.count > b.count;
}
