import type { Candidate } from "./candidate.ts";
import { cosineOf, type PackedVector } from "./embedder.ts";
import type { Scope } from "./scope.ts";
import { TopList } from "./top-list.ts";

/** The semantic half of one search. */
export interface SemanticQuery {
  readonly query: PackedVector;
  /** Undefined for a document without a vector of this model. */
  vectorOf(id: string): PackedVector | undefined;
}

/** A document that shares no word with the query is only proposed when it is this close. */
const LEAST_COSINE = 0.3;

/** How close each candidate is to the query: 0 for the median and below, 1 for the closest. */
export function closenessOf(
  candidates: readonly Candidate[],
  { query, vectorOf }: SemanticQuery,
): ReadonlyMap<Candidate, number> {
  const cosines = new Map<Candidate, number>();
  for (const candidate of candidates) {
    const vector = vectorOf(candidate.id);
    if (vector !== undefined) cosines.set(candidate, cosineOf(query, vector));
  }
  const sorted = [...cosines.values()].sort((a, b) => a - b);
  const highest = sorted.at(-1) ?? 0;
  const middle = sorted.length > 1 ? (sorted[sorted.length >> 1] ?? 0) : 0;
  const range = highest - middle;
  if (range <= 0) return new Map([...cosines.keys()].map((candidate) => [candidate, highest > 0 ? 1 : 0]));
  for (const [candidate, cosine] of cosines) cosines.set(candidate, Math.max(0, (cosine - middle) / range));
  return cosines;
}

/** The closest documents of a scope, for a query whose words find too few. Looks at every vector. */
export function findClosest(
  scope: Scope,
  { query, vectorOf }: SemanticQuery,
  most: number,
  known: ReadonlySet<string>,
): readonly Candidate[] {
  const best = new TopList<{ readonly candidate: Candidate; readonly cosine: number }>(most, (a, b) =>
    a.cosine === b.cosine ? a.candidate.id < b.candidate.id : a.cosine > b.cosine,
  );
  for (const { segment, visible } of scope.segments) {
    for (let document = 0; document < segment.count; document += 1) {
      if (visible !== undefined && visible[document] === 0) continue;
      const id = segment.data.ids.at(document);
      const vector = vectorOf(id);
      const cosine = vector === undefined ? 0 : cosineOf(query, vector);
      if (cosine < LEAST_COSINE || known.has(id)) continue;
      const found = { lexical: 0, terms: 0, fields: 0, nameHits: 0, similarity: 0, excluded: 0 };
      best.add({ candidate: { id, segment, document, ...found }, cosine });
    }
  }
  return best.values().map(({ candidate }) => candidate);
}
