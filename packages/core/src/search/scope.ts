import type { Segment } from "./segment.ts";
import type { Sight } from "./sight.ts";

/** A segment with the documents of it that a search may use. */
export interface ScopedSegment {
  readonly segment: Segment;
  /** 1 for each document to use; undefined when all documents of the segment are used. */
  readonly visible: Uint8Array | undefined;
  readonly count: number;
}

/**
 * The documents that one search may use. Every number that a ranking depends on is counted here, so that a document
 * outside the scope cannot change an answer.
 */
export class Scope {
  readonly segments: readonly ScopedSegment[];
  /** How many documents there are to search. */
  readonly count: number;

  constructor(segments: readonly Segment[], sight?: Sight) {
    this.segments = segments.map((segment) => scopeSegment(segment, sight?.flagsOf(segment)));
    this.count = this.segments.reduce((sum, { count }) => sum + count, 0);
  }

  /** How many documents have a term; counting stops above `most`. */
  countDocuments(term: string, most = Number.POSITIVE_INFINITY): number {
    let count = 0;
    for (const scoped of this.segments) {
      const number = scoped.segment.data.terms.find(term);
      if (number !== undefined) count += countPostings(scoped, number, most - count);
      if (count > most) break;
    }
    return count;
  }

  /** An upper bound of `countDocuments` that costs one lookup. It decides the order of work, never an answer. */
  boundDocuments(term: string): number {
    let count = 0;
    for (const { segment } of this.segments) {
      const number = segment.data.terms.find(term);
      if (number !== undefined) count += segment.storedCount(number);
    }
    return count;
  }
}

/** How many documents to use have the term with this number; counting stops above `most`. */
export function countPostings(
  { segment, visible }: ScopedSegment,
  term: number,
  most = Number.POSITIVE_INFINITY,
): number {
  if (visible === undefined) return segment.storedCount(term);
  const cursor = segment.postingsOf(term);
  let count = 0;
  while (count <= most && cursor.next()) count += visible[cursor.document] ?? 0;
  return count;
}

function scopeSegment(segment: Segment, flags: Uint8Array | undefined): ScopedSegment {
  const { removed, liveCount } = segment;
  const isWhole = liveCount === segment.count;
  if (flags === undefined && isWhole) return { segment, visible: undefined, count: liveCount };
  const visible = new Uint8Array(segment.count);
  let count = 0;
  for (let document = 0; document < visible.length; document += 1) {
    const isVisible = removed[document] === 0 ? (flags?.[document] ?? 1) : 0;
    visible[document] = isVisible;
    count += isVisible;
  }
  return { segment, visible: count === segment.count ? undefined : visible, count };
}
