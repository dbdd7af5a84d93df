import { analyze } from "./analyzer.ts";
import { fieldRules, impactOf, type SearchDocument, type SearchField, searchFields } from "./document.ts";
import { exclusionTerm } from "./exclusion.ts";
import { FINGERPRINT_BYTES, hashTerm, writeFingerprint } from "./fingerprint.ts";
import { PostingWriter, packValue } from "./posting.ts";
import { Segment } from "./segment.ts";
import { StringTable } from "./string-table.ts";
import { compactName, trigramTerms } from "./trigram.ts";
import { grown, NO_TERM, Vocabulary } from "./vocabulary.ts";
import { eachWord } from "./word.ts";

/** The fields that say what a skill is about. */
const SUBJECT_FIELDS =
  fieldRules.name.bit | fieldRules.description.bit | fieldRules.tags.bit | fieldRules.triggers.bit;

/** Collects documents one after another at a low cost, and makes a segment of them on request. */
export class SegmentBuilder {
  readonly #documents = new Map<string, SearchDocument["key"]>();
  readonly #names: string[] = [];
  readonly #nameTerms: number[] = [];
  readonly #nameTrigrams: number[] = [];
  #fingerprints = new Uint8Array(64 * FINGERPRINT_BYTES);
  readonly #vocabulary = new Vocabulary();
  /** By term. */
  #termHashes = new Uint32Array(4096);
  #hashedTerms = 0;
  /** By term, for the document at hand; zero between documents. */
  #weights = new Float64Array(4096);
  #fields = new Uint8Array(4096);
  /** By term, for the field at hand; zero between fields. */
  #frequencies = new Uint32Array(4096);
  readonly #documentTerms: number[] = [];
  /** The postings of all documents, one document after another. */
  #postingTerms = new Uint32Array(4096);
  #postingValues = new Uint16Array(4096);
  #postingCount = 0;
  readonly #documentEnds: number[] = [];

  get count(): number {
    return this.#names.length;
  }

  get postingCount(): number {
    return this.#postingCount;
  }

  keyOf(id: string): string | undefined {
    return this.#documents.get(id);
  }

  /** Contract: no document with this id is here yet. */
  add(document: SearchDocument): void {
    this.#documents.set(document.id, document.key);
    this.#names.push(document.name.toWellFormed());
    for (const field of searchFields) {
      const before = this.#documentTerms.length;
      this.#addField(field, textOf(document, field));
      if (field === "name") this.#nameTerms.push(Math.min(255, this.#documentTerms.length - before));
    }
    this.#addFingerprint();
    this.#addTrigrams(document.name);
    this.#addExclusions(document.exclusions ?? "");
    this.#closeDocument();
  }

  seal(): Segment {
    const { terms, postingOffsets, postings } = this.#invert();
    return new Segment({
      ids: StringTable.of([...this.#documents.keys()]),
      keys: StringTable.of([...this.#documents.values()]),
      names: StringTable.of(this.#names),
      nameTerms: Uint8Array.from(this.#nameTerms),
      nameTrigrams: Uint8Array.from(this.#nameTrigrams),
      fingerprints: this.#fingerprints.slice(0, this.count * FINGERPRINT_BYTES),
      terms,
      postingOffsets,
      postings,
    });
  }

  #addField(field: SearchField, text: string): void {
    const terms: number[] = [];
    const vocabulary = this.#vocabulary;
    let frequencies = this.#frequencies;
    let length = 0;
    eachWord(text, (units, start, end, hash) => {
      const term = vocabulary.numberOfWord(units, start, end, hash);
      if (term === NO_TERM) return;
      if (term >= frequencies.length) frequencies = this.#makeRoomForTerm();
      const frequency = frequencies[term] ?? 0;
      if (frequency === 0) terms.push(term);
      frequencies[term] = frequency + 1;
      length += 1;
    });
    const { bit, weight, lengthPenalty, usualLength } = fieldRules[field];
    const factor = weight / (1 - lengthPenalty + (lengthPenalty * length) / usualLength);
    for (const term of terms) {
      if (this.#fields[term] === 0) this.#documentTerms.push(term);
      this.#weights[term] = (this.#weights[term] ?? 0) + factor * (frequencies[term] ?? 0);
      this.#fields[term] = (this.#fields[term] ?? 0) | bit;
      frequencies[term] = 0;
    }
  }

  #addTrigrams(name: string): void {
    const trigrams = trigramTerms(compactName(name));
    this.#nameTrigrams.push(Math.min(255, trigrams.length));
    for (const trigram of trigrams) this.#addMarked(trigram);
  }

  /** Skips words that also describe the skill's subject, because most exclusions repeat them. */
  #addExclusions(text: string): void {
    const terms = new Set(analyze(text).map(({ term }) => term));
    for (const term of terms) {
      const fields = this.#fields[this.#vocabulary.numberOfTerm(term)] ?? 0;
      if ((fields & SUBJECT_FIELDS) === 0) this.#addMarked(exclusionTerm(term));
    }
  }

  /** Adds a term that no text has. */
  #addMarked(marked: string): void {
    const term = this.#vocabulary.numberOfTerm(marked);
    if (term >= this.#frequencies.length) this.#makeRoomForTerm();
    this.#fields[term] = fieldRules.body.bit;
    this.#documentTerms.push(term);
  }

  #addFingerprint(): void {
    const start = (this.count - 1) * FINGERPRINT_BYTES;
    if (start + FINGERPRINT_BYTES > this.#fingerprints.length)
      this.#fingerprints = grown(this.#fingerprints, Uint8Array);
    this.#hashTerms();
    writeFingerprint(this.#documentTerms, this.#termHashes, this.#fingerprints, start);
  }

  #hashTerms(): void {
    const { terms } = this.#vocabulary;
    while (terms.length > this.#termHashes.length) this.#termHashes = grown(this.#termHashes, Uint32Array);
    for (; this.#hashedTerms < terms.length; this.#hashedTerms += 1)
      this.#termHashes[this.#hashedTerms] = hashTerm(terms[this.#hashedTerms] ?? "");
  }

  #closeDocument(): void {
    const terms = this.#documentTerms;
    while (this.#postingCount + terms.length > this.#postingTerms.length) {
      this.#postingTerms = grown(this.#postingTerms, Uint32Array);
      this.#postingValues = grown(this.#postingValues, Uint16Array);
    }
    for (const term of terms) {
      this.#postingTerms[this.#postingCount] = term;
      this.#postingValues[this.#postingCount++] = packValue(
        impactOf(this.#weights[term] ?? 0),
        this.#fields[term] ?? 0,
      );
      this.#weights[term] = 0;
      this.#fields[term] = 0;
    }
    terms.length = 0;
    this.#documentEnds.push(this.#postingCount);
  }

  /** Returns the new array of frequencies. */
  #makeRoomForTerm(): Uint32Array<ArrayBuffer> {
    this.#weights = grown(this.#weights, Float64Array);
    this.#fields = grown(this.#fields, Uint8Array);
    this.#frequencies = grown(this.#frequencies, Uint32Array);
    return this.#frequencies;
  }

  /** From the terms of each document to the documents of each term, by counting. */
  #invert(): { terms: StringTable; postingOffsets: Uint32Array; postings: Uint8Array } {
    const terms = this.#vocabulary.terms.toSorted();
    const ends = this.#countByTerm();
    const documents = new Uint32Array(this.#postingCount);
    const values = new Uint16Array(this.#postingCount);
    const places = ends.slice();
    for (let document = this.count - 1; document >= 0; document -= 1) {
      const start = document === 0 ? 0 : (this.#documentEnds[document - 1] ?? 0);
      for (let at = start; at < (this.#documentEnds[document] ?? 0); at += 1) {
        const term = this.#postingTerms[at] ?? 0;
        const place = (places[term] ?? 0) - 1;
        places[term] = place;
        documents[place] = document;
        values[place] = this.#postingValues[at] ?? 0;
      }
    }
    const writer = new PostingWriter();
    const postingOffsets = new Uint32Array(terms.length + 1);
    for (const [rank, term] of terms.entries()) {
      const number = this.#vocabulary.numberOfTerm(term);
      writer.write(documents, values, places[number] ?? 0, ends[number] ?? 0);
      postingOffsets[rank + 1] = writer.length;
    }
    return { terms: StringTable.of(terms), postingOffsets, postings: writer.finish() };
  }

  /** Where the postings of each term end when they stand in the order of the terms' numbers. */
  #countByTerm(): Uint32Array {
    const ends = new Uint32Array(this.#vocabulary.terms.length);
    for (let at = 0; at < this.#postingCount; at += 1) {
      const term = this.#postingTerms[at] ?? 0;
      ends[term] = (ends[term] ?? 0) + 1;
    }
    for (let term = 1; term < ends.length; term += 1) ends[term] = (ends[term] ?? 0) + (ends[term - 1] ?? 0);
    return ends;
  }
}

function textOf(document: SearchDocument, field: SearchField): string {
  return field === "tags" ? document.tags.join("\n") : (document[field] ?? "");
}
