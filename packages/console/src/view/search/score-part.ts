/** What a score is made of: how much each part of it counts, as the search weighs them. */
const weights: Readonly<Record<string, (value: number) => number>> = {
  bm25: (value) => value,
  coverage: (value) => 0.3 * value,
  name: (value) => 0.2 * value,
  trigram: (value) => 1.5 * value ** 2,
};

export interface ScorePart {
  readonly name: string;
  readonly about: string;
  /** So much of the score is due to it. */
  readonly share: number;
}

const abouts: Readonly<Record<string, readonly [string, string]>> = {
  bm25: ["keywords", "How often and where the words occur, and how rare they are"],
  coverage: ["coverage", "Share of the query's words it contains"],
  name: ["name", "How much of its name is in the query"],
  trigram: ["similarity", "How similar its name and the query are"],
};
/** Less is shown as nothing. */
const LEAST = 0.005;

/** The parts of a score that count; together they are the score. */
export function partsOf(score: number, parts: Readonly<Record<string, number>>): readonly ScorePart[] {
  const known = Object.entries(weights).map(([part, weigh]) => {
    const [name, about] = abouts[part] ?? [part, ""];
    return { name, about, share: weigh(parts[part] ?? 0) };
  });
  const rest = score - known.reduce((sum, { share }) => sum + share, 0);
  const other = { name: "other", about: "Tie-breaks", share: rest };
  return [...known, other].filter(({ share }) => share > LEAST);
}
