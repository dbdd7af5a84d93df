/**
 * The singular of an English noun, by spelling alone. Verb endings stay: removing them cost more on task texts than
 * it gained. A wrong singular (`redi`) is harmless, because query and text get the same one.
 */
export function singularOf(word: string): string {
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
