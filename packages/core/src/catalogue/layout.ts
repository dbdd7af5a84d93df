import type { CatalogueItem } from "./item.ts";

/** The parts of a catalogue, each already written in its format. */
export interface Page {
  /** What the operator tells the agent before the list; empty for nothing. */
  readonly preamble: string;
  readonly items: readonly string[];
  /** What stands after the list; empty for nothing. */
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
