import type { Limits } from "@skillhold/protocol";
import { type Catalogue, type CatalogueOptions, renderCatalogue } from "../catalogue/index.ts";
import type { Library } from "../library/library.ts";
import type { Viewer } from "../library/viewer.ts";

/** How an agent wants its catalogue; what it may see and how much of it is not for it to say. */
export interface CatalogueRequest
  extends Pick<CatalogueOptions, "format" | "model" | "preamble" | "readTool" | "searchTool"> {
  /** What is to be done, in words: it decides which skills stand in a catalogue that has not room for all. */
  readonly task?: string;
}

export interface CatalogueSettings extends Pick<CatalogueOptions, "pinned" | "locations"> {
  readonly limits: Limits;
}

/** Level 1. The skills are searched for the task only if there is not room for all of them. */
export async function sessionCatalogue(
  { task = "", ...request }: CatalogueRequest,
  settings: CatalogueSettings,
  viewer: Viewer,
  library: Library,
): Promise<Catalogue> {
  const entries = await library.list(viewer);
  const plain = renderCatalogue(entries, { ...request, ...settings });
  if (plain.isComplete || task.trim() === "") return plain;
  const results = await library.search(viewer, task, { limit: settings.limits.catalogueSkills });
  const rank = new Map(results.map(({ entry, hit }) => [entry.id as string, hit.score]));
  return renderCatalogue(entries, { ...request, ...settings, rank });
}
