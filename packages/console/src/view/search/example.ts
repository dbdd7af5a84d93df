const MOST = 6;
const LONGEST = 60;

/** Some queries, from the beginnings of descriptions. */
export function examplesOf(descriptions: readonly string[]): readonly string[] {
  const starts = descriptions.map((text) => shorten(text.split(/[.;:,(\n]/)[0]?.trim() ?? ""));
  return [...new Set(starts)].filter((text) => text !== "").slice(0, MOST);
}

/** Whole words, as many as there is room for. */
function shorten(text: string): string {
  return text.length <= LONGEST ? text : text.slice(0, LONGEST).replace(/\s+\S*$/, "");
}
