import { clip } from "../shared/bounded.ts";
import type { OptionTable } from "../shared/command.ts";
import { usageError } from "../shared/script-error.ts";

export const pageOptions = {
  pages: { type: "string", value: "ranges", help: "Pages, as 1-3,5,8- or last (default: all)" },
} as const satisfies OptionTable;

/**
 * Reads ranges of pages, counted from 1, to indexes, counted from 0, in the order in which they are written. A range
 * may go down: `3-1` is 3, 2, 1.
 */
export function parsePages(text: string | undefined, count: number): readonly number[] {
  if (text === undefined) return Array.from({ length: count }, (_, index) => index);
  const indexes = text.split(",").flatMap((part) => parsePart(part.trim(), count));
  if (new Set(indexes).size !== indexes.length)
    throw usageError(`--pages ${clip(text, 80)} names a page twice.`);
  return indexes;
}

function parsePart(part: string, count: number): readonly number[] {
  const range = /^(\d{1,6}|last)?(-)?(\d{1,6}|last)?$/.exec(part);
  const [, from, dash, to] = range ?? [];
  if (range === null || (from === undefined && to === undefined)) {
    throw usageError(
      `${JSON.stringify(clip(part, 40))} is no range of pages.`,
      "Write pages as 1-3,5,8- or last.",
    );
  }
  const first = readPage(from ?? "1", count);
  const last = dash === undefined ? first : readPage(to ?? "last", count);
  const step = first <= last ? 1 : -1;
  return Array.from({ length: Math.abs(last - first) + 1 }, (_, index) => first + index * step);
}

function readPage(word: string, count: number): number {
  const page = word === "last" ? count : Number(word);
  if (page >= 1 && page <= count) return page - 1;
  throw usageError(
    `There is no page ${word}: the document has ${count === 1 ? "one page" : `${count} pages`}.`,
  );
}

/** The other way round, for answers: `[0, 1, 2, 4]` is `1-3,5`. */
export function formatPages(indexes: readonly number[]): string {
  const parts: [number, number][] = [];
  for (const index of indexes) {
    const last = parts.at(-1);
    if (last !== undefined && last[1] + 1 === index) last[1] = index;
    else parts.push([index, index]);
  }
  return parts
    .map(([first, last]) => (first === last ? `${first + 1}` : `${first + 1}-${last + 1}`))
    .join(",");
}
