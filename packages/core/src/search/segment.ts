import { FINGERPRINT_BYTES } from "./fingerprint.ts";
import { PostingCursor, readNumber } from "./posting.ts";
import type { StringTable } from "./string-table.ts";

/** The parts of a segment, as a snapshot stores them. */
export interface SegmentData {
  readonly ids: StringTable;
  readonly keys: StringTable;
  readonly names: StringTable;
  /** Distinct terms in the name of each document, at most 255. */
  readonly nameTerms: Uint8Array;
  /** Distinct trigrams in it, at most 255. */
  readonly nameTrigrams: Uint8Array;
  /** `FINGERPRINT_BYTES` for each document. */
  readonly fingerprints: Uint8Array;
  /** Sorted. */
  readonly terms: StringTable;
  /** Where the postings of each term begin, and where the last ones end. */
  readonly postingOffsets: Uint32Array;
  readonly postings: Uint8Array;
}

/** Documents that were indexed together. Only their removal changes it. */
export class Segment {
  readonly data: SegmentData;
  readonly count: number;
  /** 1 for each document that was removed. */
  readonly removed: Uint8Array;
  #liveCount: number;
  #numbers: Map<string, number> | undefined;

  constructor(data: SegmentData) {
    this.data = data;
    this.count = data.ids.count;
    this.#liveCount = this.count;
    this.removed = new Uint8Array(this.count);
  }

  get liveCount(): number {
    return this.#liveCount;
  }

  /** The number of a document that is still there. */
  find(id: string): number | undefined {
    this.#numbers ??= numberIds(this.data.ids);
    const number = this.#numbers.get(id);
    return number !== undefined && this.removed[number] === 0 ? number : undefined;
  }

  remove(document: number): void {
    this.removed[document] = 1;
    this.#liveCount -= 1;
  }

  fingerprintOf(document: number): Uint8Array {
    const start = document * FINGERPRINT_BYTES;
    return this.data.fingerprints.subarray(start, start + FINGERPRINT_BYTES);
  }

  postingsOf(term: number): PostingCursor {
    const { postings, postingOffsets } = this.data;
    return new PostingCursor(postings, postingOffsets[term] ?? 0, postingOffsets[term + 1] ?? 0);
  }

  /** How many documents have a term, removed ones included. */
  storedCount(term: number): number {
    return readNumber(this.data.postings, this.data.postingOffsets[term] ?? 0);
  }
}

function numberIds(ids: StringTable): Map<string, number> {
  const numbers = new Map<string, number>();
  for (let at = 0; at < ids.count; at += 1) numbers.set(ids.at(at), at);
  return numbers;
}
