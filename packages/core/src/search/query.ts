import { analyze } from "./analyzer.ts";
import { fold } from "./character.ts";
import { isStopWord } from "./stop-word.ts";
import { compactName, trigramTerms } from "./trigram.ts";

/** A query as it was typed, before any index is asked. */
export interface Query {
  /** Each term once, in the order of the text. */
  readonly terms: readonly QueryTerm[];
  /** The query is empty or has only blanks. */
  readonly isBlank: boolean;
  /** The query has words, and all of them are stop words. */
  readonly isStopWordsOnly: boolean;
  /** Few enough terms to be a name, or the beginning of one. */
  readonly isShort: boolean;
  /** The whole query as a name, and its trigrams; empty for a long query. */
  readonly compact: string;
  readonly trigrams: readonly string[];
}

export interface QueryTerm {
  readonly term: string;
  readonly typed: string;
  readonly frequency: number;
  /** The query ends in this word, so that its end may not be typed yet. */
  readonly isOpen: boolean;
}

/** Far more than any task text; the rest of a longer query is not read. */
const LONGEST_QUERY = 16_384;
const SHORT_QUERY_TERMS = 6;

export function readQuery(input: string): Query {
  const text = input.slice(0, LONGEST_QUERY);
  const tokens = analyze(text);
  const open = tokens.at(-1);
  const found = new Map<string, QueryTerm>();
  for (const token of tokens) {
    const known = found.get(token.term);
    found.set(token.term, {
      term: token.term,
      typed: known?.typed ?? text.slice(token.from, token.to),
      frequency: (known?.frequency ?? 0) + 1,
      isOpen: token === open && token.to === text.length,
    });
  }
  const terms = [...found.values()];
  const isShort = terms.length <= SHORT_QUERY_TERMS;
  const compact = isShort ? compactName(text) : "";
  const isBlank = input.trim() === "";
  const isStopWordsOnly = terms.length === 0 && hasOnlyStopWords(text);
  return { terms, isBlank, isStopWordsOnly, isShort, compact, trigrams: trigramTerms(compact) };
}

/** Letters that are no term because they are too many say something all the same: what no skill has. */
function hasOnlyStopWords(text: string): boolean {
  const runs = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return runs.length > 0 && runs.every((run) => isStopWord(fold(run).toLowerCase()));
}
