import { fieldRules } from "./document.ts";
import type { Plan } from "./plan.ts";
import type { Query } from "./query.ts";
import type { Segment } from "./segment.ts";

const NAME = fieldRules.name.bit;
const BODY = fieldRules.body.bit;
/** Above the bits of the fields: how many terms of the query are in the name. */
const NAME_HIT = 256;

/** What a query found, by document of one segment. Kept from query to query and cleared for each. */
export class Tally {
  scores = new Float32Array(0);
  /** Which terms of the plan a document has. */
  terms = new Int32Array(0);
  /** In which fields, and above them how many in the name. */
  fields = new Uint16Array(0);
  /** How many trigrams its name shares with the query. */
  trigrams = new Uint8Array(0);

  /** Contract: for a query of at most 255 trigrams and a plan of at most 32 terms. */
  count(segment: Segment, query: Query, plan: Plan): void {
    this.#clear(segment.count);
    for (const [index, { alternatives }] of plan.terms.entries()) {
      for (const { term, weight } of alternatives) this.#addTerm(segment, term, weight, 1 << index);
    }
    for (const trigram of query.trigrams) this.#addTrigram(segment, trigram);
  }

  nameHits(document: number): number {
    return (this.fields[document] ?? 0) >>> 8;
  }

  #clear(count: number): void {
    if (this.scores.length < count) {
      this.scores = new Float32Array(count);
      this.terms = new Int32Array(count);
      this.fields = new Uint16Array(count);
      this.trigrams = new Uint8Array(count);
      return;
    }
    this.scores.fill(0, 0, count);
    this.terms.fill(0, 0, count);
    this.fields.fill(0, 0, count);
    this.trigrams.fill(0, 0, count);
  }

  #addTerm(segment: Segment, term: string, weight: number, bit: number): void {
    const number = segment.data.terms.find(term);
    if (number === undefined) return;
    const { scores, terms, fields } = this;
    const { postings, postingOffsets } = segment.data;
    const end = postingOffsets[number + 1] ?? 0;
    let at = skipNumber(postings, postingOffsets[number] ?? 0);
    let document = 0;
    // What `PostingCursor` does, written out: this loop is where a search spends its time.
    while (at < end) {
      let byte = postings[at++] ?? 0;
      let head = byte & 0x7f;
      for (let shift = 7; byte > 0x7f && shift < 35; shift += 7) {
        byte = postings[at++] ?? 0;
        head |= (byte & 0x7f) << shift;
      }
      document += head >>> 1;
      const impact = postings[at++] ?? 0;
      const found = (head & 1) === 0 ? BODY : (postings[at++] ?? 0);
      const had = terms[document] ?? 0;
      if ((had & bit) !== 0) continue;
      terms[document] = had | bit;
      scores[document] = (scores[document] ?? 0) + weight * impact;
      const seen = (fields[document] ?? 0) | found;
      fields[document] = (found & NAME) === 0 ? seen : seen + NAME_HIT;
    }
  }

  #addTrigram(segment: Segment, trigram: string): void {
    const number = segment.data.terms.find(trigram);
    if (number === undefined) return;
    const cursor = segment.postingsOf(number);
    while (cursor.next()) this.trigrams[cursor.document] = (this.trigrams[cursor.document] ?? 0) + 1;
  }
}

function skipNumber(bytes: Uint8Array, start: number): number {
  let at = start;
  while ((bytes[at] ?? 0) > 0x7f) at += 1;
  return at + 1;
}
