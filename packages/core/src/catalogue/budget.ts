import { estimateTokens } from "@skillhold/skill";
import { type CatalogueItem, withDescriptionCut, withoutDescription } from "./item.ts";
import type { Layout } from "./layout.ts";

/** GoClaw's estimate of the tokens of one skill, from its name and description. */
export function skillTokens({ name, description }: CatalogueItem): number {
  return (name.length + description.length + 10) / 4;
}

export interface Fitting {
  /** Items in order; the first are the pinned ones. */
  readonly items: readonly CatalogueItem[];
  readonly pinned: number;
  /** The tokens that all items together may cost. */
  readonly room: number;
  readonly descriptionLength: number;
  readonly layout: Layout;
}

/** The text of an item in the catalogue and its cost in tokens. */
export interface Line {
  readonly item: CatalogueItem;
  readonly text: string;
  readonly tokens: number;
  /** Whether its description was cut or omitted. */
  readonly isShortened: boolean;
}

/**
 * The lines that fit, best first. The steps are: cut descriptions and tags, drop skills that are not pinned, omit
 * descriptions, drop pinned skills. Each step starts at the least relevant skill and ends as soon as all lines fit.
 * The best skill is treated as pinned, so a small budget still names one skill if it can.
 */
export function fitItems({ items, pinned, room, descriptionLength, layout }: Fitting): readonly Line[] {
  const lines = items.map((item) => writeLine(item, item, layout));
  let excess = lines.reduce((total, line) => total + line.tokens, -room);
  const shorten = (change: (item: CatalogueItem) => CatalogueItem): void => {
    for (let at = lines.length - 1; at >= 0 && excess > 0; at -= 1) {
      const line = lines[at];
      const whole = items[at];
      if (line === undefined || whole === undefined) continue;
      const shorter = writeLine(change(line.item), whole, layout);
      excess -= line.tokens - shorter.tokens;
      lines[at] = shorter;
    }
  };
  const dropTo = (count: number): void => {
    while (lines.length > count && excess > 0) excess -= lines.pop()?.tokens ?? 0;
  };
  shorten((item) => withDescriptionCut(item, descriptionLength));
  dropTo(Math.max(pinned, 1));
  shorten(withoutDescription);
  dropTo(0);
  return lines;
}

/** The dearer of both estimates, so that their sum keeps each of them within the budget. */
function writeLine(item: CatalogueItem, whole: CatalogueItem, layout: Layout): Line {
  const text = layout.item(item);
  const tokens = Math.max(estimateTokens(text + layout.separator), skillTokens(item));
  return { item, text, tokens, isShortened: item.description !== whole.description };
}
