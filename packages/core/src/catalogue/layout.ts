import type { CatalogueItem } from "./item.ts";

/** The parts of a catalogue, each already written in its format. */
export interface Page {
  /** The operator's text before the list; empty to omit it. */
  readonly preamble: string;
  readonly items: readonly string[];
  /** The text after the list; empty to omit it. */
  readonly note: string;
  /** The name of the tool that loads a skill. */
  readonly readTool: string;
}

/** One format. A page costs at most what a page with one empty item, each item and a separator for each cost. */
export interface Layout {
  readonly separator: string;
  item(item: CatalogueItem): string;
  /** The whole text; without items, the note alone. */
  page(page: Page): string;
}
