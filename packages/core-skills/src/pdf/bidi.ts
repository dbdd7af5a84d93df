import bidiJs from "bidi-js";

interface Levels {
  readonly levels: Uint8Array;
  readonly paragraphs: readonly { readonly level: number }[];
}

// The package declares its function as a member of the module, which it is not.
const bidiFactory = bidiJs as unknown as () => {
  getEmbeddingLevels(text: string, direction: "ltr" | "rtl" | "auto"): Levels;
  getMirroredCharactersMap(text: string, levels: Uint8Array): ReadonlyMap<number, string>;
};

/** A part of a line in one direction, with brackets mirrored where the direction is right to left. */
export interface Run {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly isRightToLeft: boolean;
}

const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

export function hasRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(text);
}

/** Text with parts in both directions. */
export function isMixed(text: string): boolean {
  return hasRightToLeft(text) && visualRuns(text, isRightToLeft(text)).length > 1;
}

/** The direction of a paragraph: that of its first letter. */
export function isRightToLeft(text: string): boolean {
  if (!hasRightToLeft(text)) return false;
  return bidiFactory().getEmbeddingLevels(text, "auto").paragraphs[0]?.level === 1;
}

/**
 * The runs of a line from left to right, as the Unicode Bidirectional Algorithm orders them. The font shapes each run
 * and reverses those that are right to left.
 */
export function visualRuns(text: string, isParagraphRightToLeft: boolean): readonly Run[] {
  if (!hasRightToLeft(text) && !isParagraphRightToLeft)
    return [{ text, start: 0, end: text.length, isRightToLeft: false }];
  const bidi = bidiFactory();
  const levels = bidi.getEmbeddingLevels(text, isParagraphRightToLeft ? "rtl" : "ltr");
  const mirrored = bidi.getMirroredCharactersMap(text, levels.levels);
  const runs: (Run & { readonly level: number })[] = [];
  for (let start = 0; start < text.length; ) {
    const level = levels.levels[start] ?? 0;
    let end = start + 1;
    while (end < text.length && levels.levels[end] === level) end += 1;
    const shown =
      [...text.slice(start, end)].length === end - start
        ? Array.from(
            { length: end - start },
            (_, index) => mirrored.get(start + index) ?? text[start + index],
          ).join("")
        : text.slice(start, end);
    runs.push({ text: shown, start, end, level, isRightToLeft: level % 2 === 1 });
    start = end;
  }
  return reorder(runs);
}

/** Rule L2: from the highest level down, every sequence of that level or above is reversed. */
function reorder<Item extends { readonly level: number }>(runs: readonly Item[]): readonly Item[] {
  let ordered = [...runs];
  for (let level = Math.max(0, ...runs.map((run) => run.level)); level > 0; level -= 1) {
    const next: Item[] = [];
    let group: Item[] = [];
    for (const run of ordered) {
      if (run.level >= level) {
        group.unshift(run);
        continue;
      }
      next.push(...group, run);
      group = [];
    }
    ordered = [...next, ...group];
  }
  return ordered;
}
