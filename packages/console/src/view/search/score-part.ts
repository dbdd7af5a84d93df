/** What a score is made of: how much each part of it counts, as the search weighs them. */
const table = [
  {
    part: "bm25",
    name: "keywords",
    about: "How often and where the words occur, and how rare they are",
    weigh: (value: number) => value,
  },
  {
    part: "coverage",
    name: "coverage",
    about: "Share of the query's words it contains",
    weigh: (value: number) => 0.3 * value,
  },
  {
    part: "name",
    name: "name",
    about: "How much of its name is in the query",
    weigh: (value: number) => 0.2 * value,
  },
  {
    part: "trigram",
    name: "similarity",
    about: "How similar its name and the query are",
    weigh: (value: number) => 1.5 * value ** 2,
  },
] as const;

export interface ScorePart {
  readonly name: (typeof table)[number]["name"] | "other";
  readonly about: string;
  /** So much of the score is due to it. */
  readonly share: number;
}

/** Smaller shares are hidden. */
const LEAST = 0.005;

/** The visible parts of a score; all parts add up to the score. */
export function partsOf(score: number, parts: Readonly<Record<string, number>>): readonly ScorePart[] {
  const known = table.map(({ part, name, about, weigh }) => ({
    ...{ name, about },
    share: weigh(parts[part] ?? 0),
  }));
  const rest = score - known.reduce((sum, { share }) => sum + share, 0);
  const other = { name: "other" as const, about: "Tie-breaks", share: rest };
  return [...known, other].filter(({ share }) => share > LEAST);
}

const STRONG_SHARE = 0.2;

/** Whether a hit fits the query, also beside the best one. */
export function isStrong(
  { score, isWeak }: { readonly score: number; readonly isWeak: boolean },
  best: number,
) {
  return !isWeak && score >= best * STRONG_SHARE;
}
