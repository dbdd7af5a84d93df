import { fold } from "./character.ts";

/** Names are far shorter; a hostile one must not cost more than a line of text. */
const LONGEST_NAME = 120;
/** Sets the trigrams apart from the terms of texts, which have no control characters. */
const MARK = "\u0001";
const PLAIN = /^[\x20-\x7E]*$/;
const BETWEEN_PLAIN_WORDS = /[^a-z0-9]+/g;
const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}]+/gu;
/** Shorter beginnings are too ambiguous to match. */
const SHORTEST_BEGINNING = 2;

/** A name reduced to its letters and digits: `Git-Hub flow` and `github_flow` are the same. */
export function compactName(name: string): string {
  const read = name.slice(0, 2 * LONGEST_NAME);
  // Unicode's tables are slow to ask, and nearly all names do without.
  const compact = PLAIN.test(read)
    ? read.toLowerCase().replace(BETWEEN_PLAIN_WORDS, "")
    : fold(read).toLowerCase().replace(BETWEEN_WORDS, "");
  return compact.slice(0, LONGEST_NAME).toWellFormed();
}

/** The distinct trigrams of a compact name, with its two ends marked, as terms of the index. */
export function trigramTerms(compact: string): readonly string[] {
  if (compact === "") return [];
  // By characters: half of a pair could not be stored.
  const padded = [...`^${compact}$`];
  const found = new Set<string>();
  for (let at = 0; at + 3 <= padded.length; at += 1) found.add(MARK + padded.slice(at, at + 3).join(""));
  return [...found];
}

/** How alike two sets of trigrams are, from 0 to 1. */
export function similarityOf(shared: number, first: number, second: number): number {
  return shared === 0 ? 0 : shared / (first + second - shared);
}

/** How much of a name has been typed, for one that is typed from its beginning; otherwise 0. */
export function beginningOf(typed: string, name: string): number {
  if (typed.length < SHORTEST_BEGINNING || !name.startsWith(typed)) return 0;
  return 0.5 + (0.5 * typed.length) / name.length;
}
