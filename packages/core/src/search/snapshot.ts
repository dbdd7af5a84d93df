import { ANALYZER_VERSION } from "./analyzer.ts";
import { FINGERPRINT_BYTES } from "./fingerprint.ts";
import { Segment } from "./segment.ts";
import { StringTable } from "./string-table.ts";

/**
 * A segment as flat bytes in the machine's own order: a head of 32-bit words (mark, versions, checksum, then start
 * and length of each section), and the sections, each from a multiple of 16 bytes. Loading is a check and a few views.
 */
export function* writeSnapshot({ data }: Segment): Generator<void, Uint8Array> {
  const encoder = new TextEncoder();
  const texts = [data.ids, data.keys, data.names, data.terms];
  const encoded: Uint8Array[] = [];
  for (const { text } of texts) {
    encoded.push(encoder.encode(text));
    yield;
  }
  const sections = [
    ...encoded,
    ...texts.map(({ offsets }) => bytesOf(offsets)),
    data.nameTerms,
    data.nameTrigrams,
    data.fingerprints,
    bytesOf(data.postingOffsets),
    data.postings,
  ];
  const places: number[] = [];
  let end = HEAD_BYTES;
  for (const section of sections) {
    places.push(end, section.length);
    end = aligned(end + section.length);
  }
  const bytes = new Uint8Array(end);
  for (const [index, section] of sections.entries()) {
    for (let from = 0; from < section.length; from += BYTES_PER_STEP) {
      bytes.set(section.subarray(from, from + BYTES_PER_STEP), (places[2 * index] ?? 0) + from);
      yield;
    }
  }
  const words = new Uint32Array(bytes.buffer);
  words.set([MAGIC, FORMAT_VERSION, ANALYZER_VERSION, 0, end, ...places]);
  words[CHECKSUM_AT] = yield* checksum(words);
  return bytes;
}

const MAGIC = 0x534b4958;
const FORMAT_VERSION = 2;
const CHECKSUM_AT = 3;
const FIRST_PLACE = 5;
const SECTION_COUNT = 13;
/** A whole number of steps of the checksum. */
const ALIGNMENT = 16;
const HEAD_BYTES = aligned(4 * (FIRST_PLACE + 2 * SECTION_COUNT));
const TEXT_COUNT = 4;
/** So many bytes take a few milliseconds. */
const BYTES_PER_STEP = 4 * 1024 * 1024;

/** Undefined for anything but the bytes of a snapshot of this version, whole and unchanged. */
export function* readSnapshot(input: Uint8Array): Generator<void, Segment | undefined> {
  if (input.length < HEAD_BYTES || input.length % ALIGNMENT !== 0) return undefined;
  // Views need an aligned start, which bytes from a pooled buffer may not have.
  const bytes = input.byteOffset % 4 === 0 ? input : input.slice();
  const words = wordsOf(bytes);
  const [magic, format, analyzer, sum, length] = words;
  if (magic !== MAGIC || format !== FORMAT_VERSION || analyzer !== ANALYZER_VERSION) return undefined;
  if (length !== bytes.length || (yield* checksum(words)) !== sum) return undefined;
  const sections = cutSections(bytes, words);
  return sections && (yield* assemble(sections));
}

function cutSections(bytes: Uint8Array, words: Uint32Array): readonly Uint8Array[] | undefined {
  const sections: Uint8Array[] = [];
  for (let index = 0; index < SECTION_COUNT; index += 1) {
    const start = words[FIRST_PLACE + 2 * index] ?? 0;
    const length = words[FIRST_PLACE + 2 * index + 1] ?? 0;
    if (start % ALIGNMENT !== 0 || start < HEAD_BYTES || start + length > bytes.length) return undefined;
    sections.push(bytes.subarray(start, start + length));
  }
  return sections;
}

function* assemble(sections: readonly Uint8Array[]): Generator<void, Segment | undefined> {
  const tables: (StringTable | undefined)[] = [];
  for (const [index, text] of sections.slice(0, TEXT_COUNT).entries()) {
    tables.push(readTable(text, sections[TEXT_COUNT + index]));
    yield;
  }
  const [ids, keys, names, terms] = tables;
  const [nameTerms, nameTrigrams, fingerprints, offsets, postings] = sections.slice(2 * TEXT_COUNT);
  if (ids === undefined || keys === undefined || names === undefined || terms === undefined) return undefined;
  if (nameTerms === undefined || nameTrigrams === undefined || postings === undefined) return undefined;
  if (fingerprints?.length !== ids.count * FINGERPRINT_BYTES) return undefined;
  const postingOffsets = offsets && readOffsets(offsets, postings.length);
  if (postingOffsets?.length !== terms.count + 1) return undefined;
  const isEven = [keys.count, names.count, nameTerms.length, nameTrigrams.length].every(
    (count) => count === ids.count,
  );
  if (!isEven) return undefined;
  const data = { ids, keys, names, nameTerms, nameTrigrams, fingerprints, terms, postingOffsets, postings };
  return new Segment(data);
}

function readTable(text: Uint8Array, offsets: Uint8Array | undefined): StringTable | undefined {
  const decoded = new TextDecoder("utf-8", { ignoreBOM: true }).decode(text);
  const checked = offsets && readOffsets(offsets, decoded.length);
  return checked && new StringTable(decoded, checked);
}

/** Offsets that start at 0, never fall, and end at the end. */
function readOffsets(bytes: Uint8Array, end: number): Uint32Array | undefined {
  if (bytes.length % 4 !== 0) return undefined;
  const offsets = wordsOf(bytes);
  let before = 0;
  // An index loop, because code that runs once is not optimized, and an iterator would triple the startup time.
  for (let at = 0; at < offsets.length; at += 1) {
    const offset = offsets[at] ?? 0;
    if (offset < before) return undefined;
    before = offset;
  }
  return offsets[0] === 0 && before === end ? offsets : undefined;
}

/** Against damage, not against forgery. In blocks, so that the first ones make the function fast for the others. */
export function* checksum(words: Uint32Array): Generator<void, number> {
  const lanes = new Int32Array([1, 2, 3, 4]);
  for (let start = CHECKSUM_AT + 1, blocks = 1; start < words.length; start += CHECKSUM_BLOCK, blocks += 1) {
    mixBlock(lanes, words, start, Math.min(words.length, start + CHECKSUM_BLOCK));
    if (blocks % CHECKSUM_BLOCKS_PER_STEP === 0) yield;
  }
  return lanes.reduce((sum, lane) => Math.imul(sum ^ lane, 0x01000193), words.length) >>> 0;
}

const CHECKSUM_BLOCK = 4096;
const CHECKSUM_BLOCKS_PER_STEP = 256;

/** Four lanes, so that the processor need not wait for one product before the next. */
function mixBlock(lanes: Int32Array, words: Uint32Array, start: number, end: number): void {
  let [a = 0, b = 0, c = 0, d = 0] = lanes;
  for (let at = start; at < end; at += 4) {
    a = Math.imul(a ^ (words[at] ?? 0), 0x9e3779b1);
    b = Math.imul(b ^ (words[at + 1] ?? 0), 0x85ebca77);
    c = Math.imul(c ^ (words[at + 2] ?? 0), 0xc2b2ae3d);
    d = Math.imul(d ^ (words[at + 3] ?? 0), 0x27d4eb2f);
    a ^= a >>> 15;
    b ^= b >>> 15;
    c ^= c >>> 15;
    d ^= d >>> 15;
  }
  lanes[0] = a;
  lanes[1] = b;
  lanes[2] = c;
  lanes[3] = d;
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}
