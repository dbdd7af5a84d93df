const MOST = 6;
const LONGEST = 60;

const FEWEST_WORDS = 3;

/** Some queries, from the beginnings of descriptions; a start of one or two words says too little. */
export function examplesOf(descriptions: readonly string[]): readonly string[] {
  const starts = descriptions.map((text) => shorten(beginningOf(text)));
  return [...new Set(starts)].filter((text) => text.split(/\s+/).length >= FEWEST_WORDS).slice(0, MOST);
}

/** The first clause with enough words: a comma in a list of verbs does not end it. */
function beginningOf(text: string): string {
  const sentence = text.split(/[.;:\n]/)[0]?.trim() ?? "";
  const parts = sentence.split(/(?=[,(])/);
  let start = "";
  for (const part of parts) {
    start += part;
    if (start.trim().split(/\s+/).length >= FEWEST_WORDS) break;
  }
  return start.trim();
}

/** Whole words, as many as there is room for. */
function shorten(text: string): string {
  return text.length <= LONGEST ? text : text.slice(0, LONGEST).replace(/\s+\S*$/, "");
}
