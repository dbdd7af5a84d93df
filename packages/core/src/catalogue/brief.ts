import type { SkillEntry } from "@skillhold/protocol";
import { neutralText } from "../text/neutral.ts";
import { type Catalogue, type CatalogueLimits, type CatalogueOptions, finishCatalogue } from "./catalogue.ts";
import { type CatalogueItem, catalogueItem, withDescriptionCut, withoutDescription } from "./item.ts";
import { markdownLayout } from "./markdown.ts";
import { selectEntries } from "./order.ts";
import { defaultPreamble } from "./wording.ts";

export interface BriefOptions
  extends Pick<CatalogueOptions, "pinned" | "rank" | "preamble" | "readTool" | "searchTool"> {
  /** The maximum length of the text. Contract: the preamble leaves room for a sentence. */
  readonly characters: number;
  readonly limits: CatalogueLimits;
}

/** A shorter description says too little, so ids alone come next. */
const SHORTEST_DESCRIPTION = 40;
/** The fewest characters of an id in a list. */
const SHORTEST_ID = 4;

/**
 * Writes the catalogue for a client that cuts long texts: the preamble first, then all skills with descriptions of an
 * equal maximum length, then ids without descriptions, then how many more the search finds.
 */
export function renderBrief(entries: readonly SkillEntry[], options: BriefOptions): Catalogue {
  const { pinned = [], rank = new Map(), characters, limits } = options;
  const most = Math.min(entries.length, Math.ceil(characters / SHORTEST_ID));
  const candidates = selectEntries(entries, most, { pinned, rank });
  const items = candidates.map(({ entry }) => catalogueItem(entry, { limits, locations: false }));
  const { described, bare } = fit(items, entries.length, options);
  const text = entries.length === 0 ? "" : page(described, bare, entries.length, options);
  const cut = described.filter(({ description }, at) => description !== items[at]?.description);
  const omitted = bare.filter(({ description }) => description !== "");
  const inline = [...described, ...bare].map(({ id }) => id);
  const shortened = [...cut, ...omitted].map(({ id }) => id);
  const isComplete = shortened.length === 0 && inline.length === entries.length;
  return finishCatalogue("markdown", entries, { text, inline, shortened, isComplete });
}

interface Fit {
  readonly described: readonly CatalogueItem[];
  readonly bare: readonly CatalogueItem[];
}

function fit(items: readonly CatalogueItem[], total: number, options: BriefOptions): Fit {
  const fits = ({ described, bare }: Fit) =>
    page(described, bare, total, options).length <= options.characters;
  const evenly = (length: number): Fit => ({
    described: items.map((item) => withDescriptionCut(item, length)),
    bare: [],
  });
  const withShort = (count: number): Fit => ({
    described: items.slice(0, count).map((item) => withDescriptionCut(item, SHORTEST_DESCRIPTION)),
    bare: items.slice(count),
  });
  const idsOf = (count: number): Fit => ({ described: [], bare: items.slice(0, count) });
  if (items.length === total && fits(evenly(SHORTEST_DESCRIPTION))) {
    const longest = options.limits.descriptionLength;
    return evenly(largest(SHORTEST_DESCRIPTION, longest, (length) => fits(evenly(length))));
  }
  if (items.length === total && fits(withShort(0)))
    return withShort(largest(0, items.length, (count) => fits(withShort(count))));
  return idsOf(largest(0, items.length, (count) => fits(idsOf(count))));
}

/** The largest number that passes. Contract: `low` passes, and no number passes above one that fails. */
function largest(low: number, high: number, passes: (value: number) => boolean): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = Math.ceil((from + to) / 2);
    if (passes(middle)) from = middle;
    else to = middle - 1;
  }
  return from;
}

function page(
  described: readonly CatalogueItem[],
  bare: readonly CatalogueItem[],
  total: number,
  options: BriefOptions,
): string {
  const readTool = neutralText(options.readTool ?? "read_skill", 64);
  const searchTool = neutralText(options.searchTool ?? "search_skills", 64);
  const ids = bare.map((item) => markdownLayout.item(withoutDescription(item)).slice("• ".length));
  const more = total - described.length - bare.length;
  return [
    options.preamble ?? defaultPreamble("brief", readTool),
    "[Available Skills]",
    ...described.map((item) => markdownLayout.item(item)),
    ...(ids.length === 0 ? [] : [`${described.length === 0 ? "Ids" : "More ids"}: ${ids.join(", ")}`]),
    ...(more === 0 ? [] : [`${more} more: ${searchTool}(query)`]),
  ]
    .filter((line) => line !== "")
    .join("\n");
}
