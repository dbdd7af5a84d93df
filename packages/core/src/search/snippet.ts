import { LONGEST_TERM, type Token, termOf } from "./analyzer.ts";
import { readQuery } from "./query.ts";
import { textOfUnits } from "./unit.ts";
import { eachWord, lowerUnit } from "./word.ts";

export interface Snippet {
  readonly text: string;
  /** Start and end, in `text`, of each word that the query has; in order, apart from each other. */
  readonly ranges: readonly Range[];
}

export type Range = readonly [start: number, end: number];

export interface SnippetOptions {
  /** Characters of the text at most, without the marks of a cut; 160 by default. */
  readonly length?: number;
}

const DEFAULT_LENGTH = 160;
/** Where the words of a query stand in a very long text is of no use to a reader. */
const LONGEST_TEXT = 200_000;
/** How far a cut may move to fall between words. */
const SLACK = 20;
const CUT = "…";

/**
 * The part of a text that best shows why it matches a query, on one line; the beginning of the text without a match.
 */
export function snippet(text: string, query: string, options: SnippetOptions = {}): Snippet {
  const length = Math.max(1, Math.floor(options.length ?? DEFAULT_LENGTH));
  const read = text.slice(0, LONGEST_TEXT);
  const { terms } = readQuery(query);
  const open = terms.find(({ isOpen }) => isOpen)?.term;
  const wanted = new Set(terms.map(({ term }) => term));
  const found = findTokens(read, wanted, open);
  const [start, end] = cutAround(text, bestWindow(found, length), length);
  return layOut(text, start, end, joinRanges(found));
}

/** The tokens of a text with a wanted term, or with one that begins with the open term. */
function findTokens(text: string, wanted: ReadonlySet<string>, open: string | undefined): readonly Token[] {
  const starts = open?.length === 1 ? undefined : new Set([...wanted].map(startOf));
  if (open !== undefined) starts?.add(startOf(open));
  const tokens: Token[] = [];
  eachWord(text, (units, start, end, _hash, from, to) => {
    if (end - start > LONGEST_TERM) return;
    // A word and its term share the first two letters, which rule out most words.
    const second = end - start > 1 ? lowerUnit(units[start + 1] ?? 0) : 0;
    if (starts !== undefined && !starts.has(pairOf(lowerUnit(units[start] ?? 0), second))) return;
    const term = termOf(textOfUnits(units, start, end).toLowerCase());
    if (term === undefined) return;
    if (wanted.has(term) || (open !== undefined && term.startsWith(open))) tokens.push({ term, from, to });
  });
  return tokens;
}

function startOf(term: string): number {
  return pairOf(term.charCodeAt(0), term.length > 1 ? term.charCodeAt(1) : 0);
}

function pairOf(first: number, second: number): number {
  return first * 0x10000 + second;
}

/** The stretch of tokens, no longer than a snippet, with the most different terms; the first of equals. */
function bestWindow(tokens: readonly Token[], length: number): Range {
  const counts = new Map<string, number>();
  let best: Range = [0, 0];
  let most = 0;
  let first = 0;
  for (const token of tokens) {
    counts.set(token.term, (counts.get(token.term) ?? 0) + 1);
    for (let head = tokens[first]; head && head.from < token.from && token.to - head.from > length; ) {
      const left = (counts.get(head.term) ?? 1) - 1;
      if (left === 0) counts.delete(head.term);
      else counts.set(head.term, left);
      first += 1;
      head = tokens[first];
    }
    if (counts.size <= most) continue;
    most = counts.size;
    best = [tokens[first]?.from ?? token.from, token.to];
  }
  return best;
}

/** Puts the window in the middle and moves the cuts to blanks, if there are any near. */
function cutAround(text: string, [from, to]: Range, length: number): Range {
  const room = Math.max(0, length - (to - from));
  const latest = Math.max(0, text.length - length);
  let start = Math.min(latest, Math.max(0, from - (room >> 1)));
  if (start > 0) {
    const blank = text.slice(start, Math.min(from, start + SLACK)).search(/\s/);
    if (blank >= 0) start += blank + 1;
    else if (isInsidePair(text, start)) start += 1;
  }
  let end = Math.min(text.length, start + length);
  if (end < text.length) {
    const lowest = Math.max(to, end - SLACK, start + 1);
    const blank = text.slice(lowest, end + 1).search(/\s\S*$/);
    if (blank >= 0) end = lowest + blank;
    else if (isInsidePair(text, end) && end - 1 > start) end -= 1;
  }
  return [start, end];
}

function isInsidePair(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

/** Overlapping words, as the parts of a camelCase one, are marked once. */
function joinRanges(tokens: readonly Token[]): readonly Range[] {
  const joined: Range[] = [];
  for (const { from, to } of tokens.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last !== undefined && from < last[1]) joined[joined.length - 1] = [last[0], Math.max(last[1], to)];
    else joined.push([from, to]);
  }
  return joined;
}

/** Each run of white space becomes one blank, and the ranges move with their words. */
function layOut(text: string, start: number, end: number, ranges: readonly Range[]): Snippet {
  let line = start > 0 ? CUT : "";
  let at = start;
  const placed: Range[] = [];
  const take = (to: number): void => {
    const part = text.slice(at, to).replace(/\s+/g, " ");
    line += line === "" || line.endsWith(" ") ? part.trimStart() : part;
    at = to;
  };
  for (const [from, to] of ranges) {
    if (from < start || to > end) continue;
    take(from);
    const begin = line.length;
    take(to);
    placed.push([begin, line.length]);
  }
  take(end);
  return { text: end < text.length ? `${line.trimEnd()}${CUT}` : line.trimEnd(), ranges: placed };
}
