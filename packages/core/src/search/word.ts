import { fold, Kind, kindAt, kindOfUnit, widthAt } from "./character.ts";
import { ownUnits, textOfUnits, type Units, unitsOf } from "./unit.ts";

/**
 * Receives a word as a range of units, which are those of the text or of a folded copy of a part of it; `from` and
 * `to` are the position of the word in the text. ASCII letters keep their case, all others are in lower case. The
 * hash is that of the word in lower case; computing it during the scan halves its cost.
 */
export type WordVisitor = (
  units: Uint16Array,
  start: number,
  end: number,
  hash: number,
  from: number,
  to: number,
) => void;

/** Longer runs are hashes, encoded data and the like. */
const LONGEST_RUN = 64;

/** Cuts a text into words: at `camelCase` and every separator, in pairs where a script has no spaces. */
export function eachWord(text: string, visit: WordVisitor): void {
  const units = unitsOf(text);
  let at = 0;
  while (at < units.length) {
    const unit = units.array[at] ?? 0;
    const kind = unit < 0xd800 ? kindOfUnit(unit) : kindAt(units, at);
    if (kind === Kind.separator) at += unit < 0xd800 ? 1 : widthAt(units, at);
    else if (isUnspaced(kind)) at = visitUnspaced(units, at, visit);
    else at = visitSpaced(units, at, visit);
  }
}

/** Returns the end of the run. Only runs with other than ASCII letters pay for folding. */
function visitSpaced(units: Units, start: number, visit: WordVisitor): number {
  const { array, length } = units;
  let hasCapital = false;
  let hash = HASH_START;
  let end = start;
  for (; end < length; end += 1) {
    const unit = array[end] ?? 0;
    const kind = unit < 0x80 ? kindOfUnit(unit) : kindAt(units, end);
    if (kind > Kind.upper) {
      if (kind === Kind.foreign) return visitForeign(units, start, visit);
      break;
    }
    if (kind === Kind.upper && end > start) hasCapital = true;
    hash = addToHash(hash, unit);
  }
  if (end - start > LONGEST_RUN) return end;
  if (hasCapital) visitParts(array, start, end, visit);
  visit(array, start, end, finishHash(hash), start, end);
  return end;
}

/** `parseHTMLText` is parse, HTML and Text, besides the whole, because others write `Github` or `parsehtmltext`. */
function visitParts(array: Uint16Array, start: number, end: number, visit: WordVisitor): void {
  let part = start;
  let before = kindOfUnit(array[start] ?? 0);
  for (let at = start + 1; at < end; at += 1) {
    const kind = kindOfUnit(array[at] ?? 0);
    if (kind === Kind.upper && (before === Kind.lower || opensWord(array, at, end))) {
      visit(array, part, at, hashOf(array, part, at), part, at);
      part = at;
    }
    before = kind;
  }
  if (part > start) visit(array, part, end, hashOf(array, part, end), part, end);
}

/** Whether a capital is the first of a word, as the T in `HTMLText`; the F in `PDFs` is not. */
function opensWord(array: Uint16Array, at: number, end: number): boolean {
  if (at + 1 >= end || kindOfUnit(array[at + 1] ?? 0) !== Kind.lower) return false;
  return !(at + 2 === end && array[at + 1] === 0x73);
}

/** A run with accents, another alphabet or compatibility forms: folded, and read again, now in plain letters. */
function visitForeign(units: Units, start: number, visit: WordVisitor): number {
  const end = endOfRun(units, start, isSpaced);
  if (end - start > LONGEST_RUN) return end;
  const folded = ownUnits(fold(textOfUnits(units.array, start, end)));
  const visitHere: WordVisitor = (array, a, b, hash) => visit(array, a, b, hash, start, end);
  let at = 0;
  while (at < folded.length) {
    const first = kindAt(folded, at);
    if (first === Kind.separator) at += widthAt(folded, at);
    else if (isUnspaced(first)) at = visitUnspaced(folded, at, visitHere);
    else {
      const stop = endOfRun(folded, at, isSpaced);
      visitFolded(folded, at, stop, visitHere);
      at = stop;
    }
  }
  return end;
}

function visitFolded(units: Units, start: number, end: number, visit: WordVisitor): void {
  if (endOfRun(units, start, (kind) => kind !== Kind.foreign) >= end) {
    visitSpaced({ array: units.array, length: end }, start, visit);
    return;
  }
  const word = ownUnits(fold(textOfUnits(units.array, start, end).toLowerCase()));
  visit(word.array, 0, word.length, hashOf(word.array, 0, word.length), start, end);
}

/** Returns how far it came: to the end of the run, or less where a part of it has to be folded. */
function visitUnspaced(units: Units, start: number, visit: WordVisitor): number {
  const plainEnd = endOfRun(units, start, (kind) => kind === Kind.unspaced);
  const isPlain = plainEnd === units.length || kindAt(units, plainEnd) !== Kind.unspacedForm;
  if (isPlain || plainEnd - start > LONGEST_RUN) {
    visitPairs(units, start, plainEnd, visit);
    return plainEnd;
  }
  const most = { array: units.array, length: Math.min(units.length, start + LONGEST_RUN) };
  const end = endOfRun(most, start, isUnspaced);
  const folded = ownUnits(textOfUnits(units.array, start, end).normalize("NFKC"));
  visitPairs(folded, 0, folded.length, (array, a, b, hash) => visit(array, a, b, hash, start, end));
  return end;
}

/** Visits every pair of adjacent characters, or the character itself if there is only one. */
function visitPairs(units: Units, start: number, end: number, visit: WordVisitor): void {
  const { array } = units;
  let first = start;
  let second = first + widthAt(units, first);
  if (second >= end) visit(array, first, end, hashOf(array, first, end), first, end);
  while (second < end) {
    const next = second + widthAt(units, second);
    visit(array, first, next, hashOf(array, first, next), first, next);
    first = second;
    second = next;
  }
}

function isUnspaced(kind: number): boolean {
  return kind === Kind.unspaced || kind === Kind.unspacedForm;
}

function isSpaced(kind: number): boolean {
  return kind <= Kind.upper || kind === Kind.foreign;
}

const HASH_START = 0x811c9dc5;

function hashOf(array: Uint16Array, start: number, end: number): number {
  let hash = HASH_START;
  for (let at = start; at < end; at += 1) hash = addToHash(hash, array[at] ?? 0);
  return finishHash(hash);
}

function addToHash(hash: number, unit: number): number {
  return Math.imul(hash ^ lowerUnit(unit), 0x01000193);
}

function finishHash(hash: number): number {
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** Words come with ASCII capitals at most. */
export function lowerUnit(unit: number): number {
  return unit >= 0x41 && unit <= 0x5a ? unit + 32 : unit;
}

function endOfRun(units: Units, start: number, belongs: (kind: number) => boolean): number {
  let at = start;
  while (at < units.length && belongs(kindAt(units, at))) at += widthAt(units, at);
  return at;
}
