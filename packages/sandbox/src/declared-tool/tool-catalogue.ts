import type { ListedTool, ToolCatalogue, ToolCatalogueCache, ToolListing } from "@skillhold/core/run";
import { LRUCache } from "lru-cache";
import { nameTaken } from "./tool-listing.ts";
import { declaredToolNames } from "./tool-name.ts";

/** Caches the listings of recently used skill contents. */
export class MemoryToolCatalogueCache implements ToolCatalogueCache {
  readonly #listings: LRUCache<string, ToolListing>;

  constructor(maxListings = 256) {
    this.#listings = new LRUCache({ max: maxListings });
  }

  async get(treeHash: string): Promise<ToolListing | undefined> {
    return this.#listings.get(treeHash);
  }

  async set(treeHash: string, listing: ToolListing): Promise<void> {
    this.#listings.set(treeHash, listing);
  }
}

/**
 * Returns undefined when the content was never loaded; only `DeclaredTools.load` can list its tools then,
 * which runs its code.
 */
export async function cachedTools(
  skill: { readonly id: string; readonly treeHash: string },
  cache: ToolCatalogueCache,
): Promise<ToolCatalogue | undefined> {
  const listing = await cache.get(skill.treeHash);
  return listing === undefined ? undefined : toCatalogue(skill.id, listing);
}

/** Merges listings in file order. Of two tools with one name, the first wins. */
export function mergeListings(listings: readonly ToolListing[]): ToolListing {
  const byFile = (a: { readonly file: string }, b: { readonly file: string }): number =>
    a.file < b.file ? -1 : a.file > b.file ? 1 : 0;
  const tools = new Map<string, ListedTool>();
  const problems = listings.flatMap((listing) => listing.problems);
  for (const tool of listings.flatMap((listing) => listing.tools).sort(byFile)) {
    if (tools.has(tool.name)) problems.push(nameTaken(tool));
    else tools.set(tool.name, tool);
  }
  return { tools: [...tools.values()], problems: problems.sort(byFile) };
}

export function toCatalogue(id: string, { tools, problems }: ToolListing): ToolCatalogue {
  const names = declaredToolNames(
    id,
    tools.map((tool) => tool.name),
  );
  const named = tools.map((tool, at) => ({ ...tool, skill: id, toolName: names[at] ?? "" }));
  return { tools: named, problems };
}
