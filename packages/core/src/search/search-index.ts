import type { SearchDocument } from "./document.ts";
import type { SearchHit } from "./hit.ts";
import { mergeSegments, mergeSteps } from "./merge.ts";
import { type RankingOptions, rank } from "./ranking.ts";
import type { Segment } from "./segment.ts";
import { SegmentBuilder } from "./segment-builder.ts";
import type { DocumentFilter, Sight } from "./sight.ts";
import { readSnapshot, writeSnapshot } from "./snapshot.ts";
import { finish } from "./step.ts";
import { Tally } from "./tally.ts";

/** About 10,000 skills. At this size the intake is sorted into a segment. */
const LARGEST_INTAKE = 4_000_000;

/**
 * Full-text index of skills, for a library in memory. Added documents are buffered and sorted at the first query.
 * Segments of similar size are merged, so there are few segments and a change is cheap. Rankings depend only on the
 * documents, not on the order in which they were added.
 */
export class SearchIndex {
  #segments: readonly Segment[];
  #intake = new SegmentBuilder();
  readonly #tally = new Tally();

  private constructor(segments: readonly Segment[]) {
    this.#segments = segments;
  }

  static empty(): SearchIndex {
    return new SearchIndex([]);
  }

  /**
   * The index a snapshot was taken of, or undefined if it is damaged or of another version: then build a new one.
   * The bytes belong to the index from now on.
   */
  static load(bytes: Uint8Array): SearchIndex | undefined {
    return finish(SearchIndex.loadSteps(bytes));
  }

  static *loadSteps(bytes: Uint8Array): Generator<void, SearchIndex | undefined> {
    const segment = yield* readSnapshot(bytes);
    return segment && new SearchIndex([segment]);
  }

  get size(): number {
    return this.#segments.reduce((sum, { liveCount }) => sum + liveCount, this.#intake.count);
  }

  /** Whether a document is here with this very content. */
  has(id: string, key: string): boolean {
    return this.keyOf(id) === key.toWellFormed();
  }

  /** The content hash with which a document is here. */
  keyOf(id: string): string | undefined {
    const wanted = id.toWellFormed();
    const waiting = this.#intake.keyOf(wanted);
    if (waiting !== undefined) return waiting;
    for (const segment of this.#segments) {
      const document = segment.find(wanted);
      if (document !== undefined) return segment.data.keys.at(document);
    }
    return undefined;
  }

  ids(): readonly string[] {
    return [...this.eachId()];
  }

  /** Contract: the index does not change meanwhile. */
  *eachId(): Generator<string, void> {
    this.#settle();
    for (const { data, count, removed } of this.#segments)
      for (let document = 0; document < count; document += 1)
        if (removed[document] === 0) yield data.ids.at(document);
  }

  /** Adds a document, or puts it in the place of the one with its id. Ids and keys are kept as well-formed text. */
  upsert(document: SearchDocument): void {
    const id = document.id.toWellFormed();
    const key = document.key.toWellFormed();
    const present = this.keyOf(id);
    if (present === key) return;
    if (present !== undefined) this.remove(id);
    this.#intake.add({ ...document, id, key });
    if (this.#intake.postingCount > LARGEST_INTAKE) this.#settle();
  }

  /** False if there was no such document. */
  remove(id: string): boolean {
    const wanted = id.toWellFormed();
    if (this.#intake.keyOf(wanted) !== undefined) this.#settle();
    for (const segment of this.#segments) {
      const document = segment.find(wanted);
      if (document === undefined) continue;
      segment.remove(document);
      if (segment.liveCount * 2 < segment.count) this.#rewrite(segment);
      return true;
    }
    return false;
  }

  /** The best documents for a query of any kind: a name, a few words, a whole task. Never throws. */
  search(query: string, options: RankingOptions = {}): readonly SearchHit[] {
    this.#settle();
    return rank(query, this.#segments, options, this.#tally);
  }

  /** Asks the gate of a sight about all documents, with pauses. Contract: other calls wait until all steps are done. */
  *sightSteps(sight: Sight): Generator<void, void> {
    yield* this.settleSteps();
    for (const segment of this.#segments) yield* sight.flagSteps(segment);
  }

  /** Makes a sight ask another gate, and ask it again about the documents with these ids. */
  updateSight(sight: Sight, accepts: DocumentFilter, ids: Iterable<string>): void {
    this.#settle();
    sight.update(accepts, ids, this.#segments);
  }

  /** The whole index as bytes, for `load`. */
  snapshot(): Uint8Array {
    return finish(this.snapshotSteps());
  }

  /** Like `snapshot`, with pauses. Contract: other calls wait until all steps are done. */
  *snapshotSteps(): Generator<void, Uint8Array> {
    yield* this.settleSteps();
    const [only] = this.#segments;
    const isOne = this.#segments.length === 1 && only !== undefined && only.liveCount === only.count;
    const whole = isOne ? only : yield* mergeSteps(this.#segments);
    this.#segments = [whole];
    yield;
    return yield* writeSnapshot(whole);
  }

  #settle(): void {
    finish(this.settleSteps());
  }

  /**
   * Sorts what waits into a segment, and merges the last segments while so many of them are of similar size: two after a
   * change, so that each segment is at least twice the next, and more during a build, which then copies each posting less
   * often. Contract: other calls wait until the end.
   */
  *settleSteps(similar = 2): Generator<void, void> {
    if (this.#intake.count === 0) return;
    const segments = [...this.#segments, this.#intake.seal()];
    this.#intake = new SegmentBuilder();
    this.#segments = [...segments];
    for (;;) {
      const most = 2 * (segments.at(-1)?.liveCount ?? 0);
      const last = segments.slice(-similar);
      if (last.length < similar || last.some(({ liveCount }) => liveCount >= most)) break;
      yield;
      segments.splice(-similar, similar, yield* mergeSteps(last));
    }
    this.#segments = segments;
  }

  #rewrite(sparse: Segment): void {
    this.#segments = this.#segments
      .map((segment) => (segment === sparse ? mergeSegments([sparse]) : segment))
      .filter(({ count }) => count > 0);
  }
}
