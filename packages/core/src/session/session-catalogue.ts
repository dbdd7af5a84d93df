import type { Limits } from "@skillhold/protocol";
import { type Catalogue, type CatalogueOptions, renderCatalogue } from "../catalogue/index.ts";
import type { Library } from "../library/library.ts";
import type { Viewer } from "../library/viewer.ts";

/** The agent's options for its catalogue. Visibility and limits are not among them. */
export interface CatalogueRequest
  extends Pick<CatalogueOptions, "format" | "model" | "preamble" | "readTool" | "searchTool"> {
  /** The task in words. It selects the skills when the catalogue cannot hold all. */
  readonly task?: string;
}

export interface CatalogueSettings extends Pick<CatalogueOptions, "pinned" | "locations"> {
  readonly limits: Limits;
}

/** Level 1. Searches by task only when the catalogue cannot hold all skills. */
export async function sessionCatalogue(
  { task = "", ...request }: CatalogueRequest,
  settings: CatalogueSettings,
  viewer: Viewer,
  library: Library,
): Promise<Catalogue> {
  const entries = await library.list(viewer);
  const plain = renderCatalogue(entries, { ...request, ...settings });
  if (plain.isComplete || task.trim() === "") return plain;
  const limit = settings.limits.catalogueSkills;
  const results = await library.search(viewer, task, { limit, hasSnippets: false });
  const rank = new Map(results.map(({ entry, hit }) => [entry.id as string, hit.score]));
  return renderCatalogue(entries, { ...request, ...settings, rank });
}
