import { clip } from "./bounded.ts";
import { usageError } from "./script-error.ts";

/** What a document is counted in. */
export type Counted = "page" | "slide";

/**
 * Reads ranges, counted from 1, to indexes, counted from 0, in the order in which they are written; without any, all.
 * A range may go down: `3-1` is 3, 2, 1. Each number occurs once.
 */
export function parseRanges(text: string | undefined, count: number, noun: Counted): readonly number[] {
  if (text === undefined) return Array.from({ length: count }, (_, index) => index);
  const indexes = new Set<number>();
  for (const part of text.split(",")) {
    for (const index of parsePart(part.trim(), count, noun)) {
      if (indexes.has(index)) throw usageError(`${clip(text, 80)} names ${noun} ${index + 1} twice.`);
      indexes.add(index);
    }
  }
  return [...indexes];
}

/** The items that ranges name. */
export function chooseItems<Item>(
  text: string | undefined,
  items: readonly Item[],
  noun: Counted,
): readonly Item[] {
  return parseRanges(text, items.length, noun).flatMap((index) => items.slice(index, index + 1));
}

/** The other way round, for answers: `[0, 1, 2, 4]` is `1-3,5`. */
export function formatRanges(indexes: readonly number[]): string {
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

function parsePart(part: string, count: number, noun: Counted): readonly number[] {
  const range = /^(\d{1,6}|last)?(-)?(\d{1,6}|last)?$/.exec(part);
  const [, from, dash, to] = range ?? [];
  if (range === null || (from === undefined && to === undefined)) {
    throw usageError(
      `${JSON.stringify(clip(part, 40))} is not a range of ${noun}s.`,
      "Write 4, 1-3, 2,5-7, 8-, last, or downwards 5-1.",
    );
  }
  const first = readNumber(from ?? "1", count, noun);
  const last = dash === undefined ? first : readNumber(to ?? "last", count, noun);
  const step = first <= last ? 1 : -1;
  return Array.from({ length: Math.abs(last - first) + 1 }, (_, index) => first + index * step);
}

function readNumber(word: string, count: number, noun: Counted): number {
  const number = word === "last" ? count : Number(word);
  if (number >= 1 && number <= count) return number - 1;
  throw usageError(`There is no ${noun} ${word}: the file has ${count} ${noun}${count === 1 ? "" : "s"}.`);
}
