import { clip } from "../shared/bounded.ts";
import { usageError } from "../shared/script-error.ts";
import type { Slide } from "./deck.ts";

/** Reads `1,3-5,8-` into slides, in the order that is written. Each slide may stand there once. */
export function chooseSlides(range: string | undefined, slides: readonly Slide[]): readonly Slide[] {
  if (range === undefined) return slides;
  const chosen = range.split(",").flatMap((part) => readPart(part.trim(), slides));
  if (new Set(chosen).size !== chosen.length) throw usageError(`${clip(range, 60)} names a slide twice.`);
  return chosen;
}

function readPart(part: string, slides: readonly Slide[]): readonly Slide[] {
  const [, first, dash, last] = /^(\d{1,6})(?:(-)(\d{1,6})?)?$/.exec(part) ?? [];
  if (first === undefined)
    throw usageError(`${clip(part, 40)} is no slide or range.`, "Write ranges like 1,3-5,8-");
  const from = Number(first);
  const to = dash === undefined ? from : Number(last ?? slides.length);
  if (from < 1 || to > slides.length || from > to) {
    throw usageError(`There is no slide ${clip(part, 40)}: the deck has ${slides.length}.`);
  }
  return slides.slice(from - 1, to);
}
