import { singularOf } from "./stem.ts";
import { isStopWord } from "./stop-word.ts";
import { textOfUnits } from "./unit.ts";
import { eachWord } from "./word.ts";

/** Part of every stored index: another version means other terms or impacts, and so a new index. */
export const ANALYZER_VERSION = 2;
/** Longer words are data, not language. */
export const LONGEST_TERM = 40;

/** A term and the part of the text it comes from. */
export interface Token {
  readonly term: string;
  readonly from: number;
  readonly to: number;
}

/** The terms of a text in order. Documents and queries go through the same rules. */
export function analyze(text: string): readonly Token[] {
  const tokens: Token[] = [];
  eachWord(text, (units, start, end, _hash, from, to) => {
    if (end - start > LONGEST_TERM) return;
    const term = termOf(textOfUnits(units, start, end).toLowerCase());
    if (term !== undefined) tokens.push({ term, from, to });
  });
  return tokens;
}

/** The term of a word in lower case; undefined for stop words. */
export function termOf(word: string): string | undefined {
  return isStopWord(word) ? undefined : singularOf(word);
}
