import { FINGERPRINT_BYTES } from "./fingerprint.ts";
import { PostingWriter, packValue } from "./posting.ts";
import { Segment, type SegmentData } from "./segment.ts";
import { finish } from "./step.ts";
import { StringTable } from "./string-table.ts";

/** So many postings or strings take a few milliseconds. */
const POSTINGS_PER_STEP = 50_000;
const STRINGS_PER_STEP = 20_000;
const POSTINGS_PER_TERM = 5;

/** One segment with the documents of all, in their order, without those that were removed. */
export function mergeSegments(segments: readonly Segment[]): Segment {
  return finish(mergeSteps(segments));
}

export function* mergeSteps(segments: readonly Segment[]): Generator<void, Segment> {
  const sources = openSources(segments);
  yield;
  const ids = yield* collect(sources, ({ ids }) => ids);
  const keys = yield* collect(sources, ({ keys }) => keys);
  const names = yield* collect(sources, ({ names }) => names);
  const nameTerms = gather(sources, ({ nameTerms }) => nameTerms);
  const nameTrigrams = gather(sources, ({ nameTrigrams }) => nameTrigrams);
  const fingerprints = gatherFingerprints(sources);
  yield;
  const terms = yield* mergeTerms(sources);
  return new Segment({ ids, keys, names, nameTerms, nameTrigrams, fingerprints, ...terms });
}

/** The strings of the documents that stay. */
function* collect(
  sources: readonly Source[],
  pick: (data: SegmentData) => StringTable,
): Generator<void, StringTable> {
  const strings: string[] = [];
  for (const { segment, kept } of sources) {
    const table = pick(segment.data);
    for (const document of kept) {
      strings.push(table.at(document));
      if (strings.length % STRINGS_PER_STEP === 0) yield;
    }
  }
  return StringTable.of(strings);
}

function gather(sources: readonly Source[], pick: (data: SegmentData) => Uint8Array): Uint8Array {
  const gathered = new Uint8Array(sources.reduce((sum, { kept }) => sum + kept.length, 0));
  let at = 0;
  for (const { segment, kept } of sources) {
    const bytes = pick(segment.data);
    for (const document of kept) gathered[at++] = bytes[document] ?? 0;
  }
  return gathered;
}

function gatherFingerprints(sources: readonly Source[]): Uint8Array {
  const count = sources.reduce((sum, { kept }) => sum + kept.length, 0);
  const fingerprints = new Uint8Array(count * FINGERPRINT_BYTES);
  let at = 0;
  for (const { segment, kept } of sources) {
    for (const document of kept) {
      fingerprints.set(segment.fingerprintOf(document), at);
      at += FINGERPRINT_BYTES;
    }
  }
  return fingerprints;
}

interface Source {
  readonly segment: Segment;
  /** The documents that stay, by their old numbers. */
  readonly kept: Uint32Array;
  /** New numbers by the old ones; those that stay are ascending. */
  readonly numbers: Uint32Array;
  /** The term whose turn it is. */
  at: number;
  term: string | undefined;
}

function openSources(segments: readonly Segment[]): readonly Source[] {
  let next = 0;
  return segments.map((segment) => {
    const kept = new Uint32Array(segment.liveCount);
    const numbers = new Uint32Array(segment.count);
    let count = 0;
    for (let document = 0; document < segment.count; document += 1) {
      if (segment.removed[document] !== 0) continue;
      numbers[document] = next++;
      kept[count++] = document;
    }
    return { segment, kept, numbers, at: 0, term: termAt(segment, 0) };
  });
}

function termAt(segment: Segment, at: number): string | undefined {
  return at < segment.data.terms.count ? segment.data.terms.at(at) : undefined;
}

function* mergeTerms(
  sources: readonly Source[],
): Generator<void, Pick<SegmentData, "terms" | "postingOffsets" | "postings">> {
  const documents = new Uint32Array(sources.reduce((sum, { kept }) => sum + kept.length, 0));
  const values = new Uint16Array(documents.length);
  // The merged postings take about as many bytes as before.
  const writer = new PostingWriter(
    sources.reduce((sum, { segment }) => sum + segment.data.postings.length, 0),
  );
  const terms: string[] = [];
  const offsets = [0];
  let copied = 0;
  for (let term = firstTerm(sources); term !== undefined; term = firstTerm(sources)) {
    let count = 0;
    for (const source of sources) {
      if (source.term !== term) continue;
      count = copyPostings(source, documents, values, count);
      source.at += 1;
      source.term = termAt(source.segment, source.at);
    }
    if (count === 0) continue;
    writer.write(documents, values, 0, count);
    terms.push(term);
    offsets.push(writer.length);
    // A term has its own cost, and most have few postings.
    copied += count + POSTINGS_PER_TERM;
    if (copied < POSTINGS_PER_STEP) continue;
    copied = 0;
    yield;
  }
  yield;
  const postingOffsets = Uint32Array.from(offsets);
  return { terms: StringTable.of(terms), postingOffsets, postings: writer.finish() };
}

function firstTerm(sources: readonly Source[]): string | undefined {
  let first: string | undefined;
  for (const { term } of sources) {
    if (term !== undefined && (first === undefined || term < first)) first = term;
  }
  return first;
}

/** Appends the postings of a source's term that stay; returns how many there are now. */
function copyPostings(
  { segment, numbers, at }: Source,
  documents: Uint32Array,
  values: Uint16Array,
  before: number,
): number {
  let count = before;
  const cursor = segment.postingsOf(at);
  while (cursor.next()) {
    if (segment.removed[cursor.document] !== 0) continue;
    documents[count] = numbers[cursor.document] ?? 0;
    values[count++] = packValue(cursor.impact, cursor.fields);
  }
  return count;
}
