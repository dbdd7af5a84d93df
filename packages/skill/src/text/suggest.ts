/** Longer words are truncated, because the cost grows with the product of the lengths. */
const LONGEST = 128;

/** The closest names, best first: prefix matches, misspellings, then substring matches. */
export function suggest(wanted: string, names: readonly string[], limit = 3): readonly string[] {
  const word = wanted.toLowerCase().slice(0, LONGEST);
  if (word === "") return [];
  return names
    .map((name) => ({ name, rank: rankOf(word, name.toLowerCase().slice(0, LONGEST)) }))
    .filter(({ rank }) => rank !== undefined)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0) || a.name.localeCompare(b.name, "en"))
    .slice(0, limit)
    .map(({ name }) => name);
}

export function didYouMean(suggestions: readonly string[]): string | undefined {
  return suggestions.length === 0 ? undefined : `Did you mean ${suggestions.join(" or ")}?`;
}

function rankOf(word: string, name: string): number | undefined {
  if (name.startsWith(word)) return 0;
  const most = Math.max(1, Math.floor(Math.min(word.length, name.length) / 3));
  const isNear = Math.abs(word.length - name.length) <= most;
  const distance = isNear ? editDistance(word, name) : Number.POSITIVE_INFINITY;
  if (distance <= most) return distance;
  return word.length >= 3 && (name.includes(word) || word.includes(name)) ? LONGEST : undefined;
}

/** The number of insertions, deletions, replacements and swaps of adjacent letters between two words. */
export function editDistance(from: string, to: string): number {
  let before: readonly number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        cell(above, column) + 1,
        cell(current, column - 1) + 1,
        cell(above, column - 1) + (isSame ? 0 : 1),
        isSwap && row > 1 && column > 1 ? cell(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = above;
    above = current;
  }
  return cell(above, to.length);
}

function cell(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
