import type { ListedTool, ToolCatalogue, ToolCatalogueCache, ToolListing } from "@skillhold/core/run";
import { nameTaken } from "./tool-listing.ts";
import { declaredToolNames } from "./tool-name.ts";

/** Keeps the listings of the contents that were used last. */
export class MemoryToolCatalogueCache implements ToolCatalogueCache {
  readonly #listings = new Map<string, ToolListing>();
  readonly #maxListings: number;

  constructor(maxListings = 256) {
    this.#maxListings = maxListings;
  }

  async get(treeHash: string): Promise<ToolListing | undefined> {
    const listing = this.#listings.get(treeHash);
    if (listing !== undefined) this.#keep(treeHash, listing);
    return listing;
  }

  async set(treeHash: string, listing: ToolListing): Promise<void> {
    this.#keep(treeHash, listing);
    const [oldest] = this.#listings.keys();
    if (this.#listings.size > this.#maxListings && oldest !== undefined) this.#listings.delete(oldest);
  }

  /** A map keeps its keys in the order of their last entry. */
  #keep(treeHash: string, listing: ToolListing): void {
    this.#listings.delete(treeHash);
    this.#listings.set(treeHash, listing);
  }
}

/** Nothing when the content was never loaded: then only `DeclaredTools.load` can tell, and that runs it. */
export async function knownTools(
  skill: { readonly id: string; readonly treeHash: string },
  cache: ToolCatalogueCache,
): Promise<ToolCatalogue | undefined> {
  const listing = await cache.get(skill.treeHash);
  return listing === undefined ? undefined : toCatalogue(skill.id, listing);
}

/** One listing of several, in the order of their files. Of two tools with one name the first counts. */
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
