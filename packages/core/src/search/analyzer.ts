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

/**
 * The singular of an English noun, by spelling alone. Verb endings stay: removing them cost more on task texts than
 * it gained. A wrong singular (`redi`) is harmless, because query and text get the same one.
 */
function singularOf(word: string): string {
  if (word.length < 4) return word;
  if (word.endsWith("ie") && word.length > 4) return `${word.slice(0, -2)}y`;
  if (!word.endsWith("s") || word.endsWith("ss") || keeps.has(word)) return word;
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  return word.slice(0, takesPluralE(word) ? -2 : -1);
}

/** Whose final s is part of the word, and whose shorter form is another word. */
const keeps: ReadonlySet<string> = new Set(["canvas", "always", "news", "pandas", "does", "atlas"]);
const pluralE = ["sses", "shes", "ches", "xes", "zzes"];
const singularE: ReadonlySet<string> = new Set(["caches", "niches", "aches", "headaches", "axes"]);

function takesPluralE(word: string): boolean {
  return pluralE.some((ending) => word.endsWith(ending)) && !singularE.has(word);
}
