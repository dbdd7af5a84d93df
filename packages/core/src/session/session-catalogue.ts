import { hash } from "node:crypto";
import { type Digest, type Limits, type SkillEntry, SkillError } from "@skillhold/protocol";
import {
  type Catalogue,
  type CatalogueOptions,
  hasLocations,
  renderBrief,
  renderCatalogue,
} from "../catalogue/index.ts";
import type { Library } from "../library/library.ts";
import type { Viewer } from "../library/viewer.ts";
import type { SkillUse } from "./port.ts";

/** The agent's options for its catalogue. Visibility and limits are not among them. */
export interface CatalogueRequest
  extends Pick<CatalogueOptions, "format" | "model" | "preamble" | "readTool" | "searchTool"> {
  /** The task in words. It selects the skills when the catalogue cannot hold all. */
  readonly task?: string;
  /** The maximum length of the text, for a client that cuts longer ones. The text is then the brief form. */
  readonly characters?: number;
}

export interface CatalogueSettings extends Pick<CatalogueOptions, "pinned" | "locations"> {
  readonly limits: Limits;
  /** The uses of skills, by id. */
  readonly uses?: () => Promise<ReadonlyMap<string, SkillUse>>;
}

/** A catalogue and its digest, so that a prompt is rewritten only when the catalogue changed. */
export interface SessionCatalogue extends Catalogue {
  /** The SHA-256 of the text. */
  readonly digest: Digest;
}

/**
 * Level 1. Ranks by task, or else by use, only when the catalogue cannot hold all skills. A location is written only for a folder
 * that exists, so stored skills are copied to disk first.
 */
export async function sessionCatalogue(
  request: CatalogueRequest,
  settings: CatalogueSettings,
  viewer: Viewer,
  library: Library,
): Promise<SessionCatalogue> {
  const catalogue = await chooseCatalogue(request, settings, viewer, library);
  // The hash has 64 lowercase hexadecimal digits.
  return { ...catalogue, digest: `sha256:${hash("sha256", catalogue.text, "hex")}` as Digest };
}

async function chooseCatalogue(
  { task = "", ...request }: CatalogueRequest,
  { uses, ...settings }: CatalogueSettings,
  viewer: Viewer,
  library: Library,
): Promise<Catalogue> {
  const entries = await library.list(viewer);
  const render = (options: Pick<CatalogueOptions, "rank" | "locations">) =>
    renderFor(entries, { ...request, ...settings, ...options });
  const plain = render({});
  const rankAll = async () =>
    task.trim() === "" ? rankByUse(await uses?.()) : rankByTask(task, { ...settings, uses }, viewer, library);
  const rank = plain.isComplete ? new Map<string, number>() : await rankAll();
  const ranked = rank.size === 0 ? plain : render({ rank });
  if (settings.locations !== true || !hasLocations(ranked.format)) return ranked;
  const inline = new Set(ranked.inline);
  const shown = entries.filter(({ id }) => inline.has(id));
  return render({ rank, locations: await locateSkills(shown, viewer, library) });
}

async function rankByTask(
  task: string,
  {
    limits,
    uses,
  }: Pick<CatalogueSettings, "limits"> & { readonly uses: CatalogueSettings["uses"] | undefined },
  viewer: Viewer,
  library: Library,
): Promise<ReadonlyMap<string, number>> {
  const results = await library.search(viewer, task, {
    limit: limits.catalogueSkills,
    hasSnippets: false,
    uses: useCounts(await uses?.()),
  });
  return new Map(results.map(({ entry, hit }) => [entry.id as string, hit.score]));
}

/** The folder of each skill by id. A skill that cannot be copied to disk has no location. */
async function locateSkills(
  entries: readonly SkillEntry[],
  viewer: Viewer,
  library: Library,
): Promise<ReadonlyMap<string, string>> {
  const folders = new Map<string, string>();
  for (const { id, path, revision } of entries) {
    const folder = revision === undefined ? path : await materializedFolder(id, viewer, library);
    if (folder !== undefined) folders.set(id, folder);
  }
  return folders;
}

/** Reading a stored skill copies it to disk. */
async function materializedFolder(id: string, viewer: Viewer, library: Library): Promise<string | undefined> {
  try {
    return (await library.read(viewer, id)).folder;
  } catch (error) {
    if (error instanceof SkillError) return undefined;
    throw error;
  }
}

type RenderOptions = CatalogueOptions & { readonly characters?: number; readonly limits: Limits };

function renderFor(entries: readonly SkillEntry[], { characters, ...options }: RenderOptions): Catalogue {
  return characters === undefined
    ? renderCatalogue(entries, options)
    : renderBrief(entries, { ...options, characters });
}

/** The counts that lift a skill in a search. */
export function useCounts(
  uses: ReadonlyMap<string, SkillUse> = new Map<string, SkillUse>(),
): ReadonlyMap<string, number> {
  return new Map([...uses].map(([id, { count }]) => [id, count]));
}

const HALF_LIFE_MS = 14 * 24 * 3600 * 1000;

/** Use counts that halve every two weeks since the last use, as logarithms, which need no current time. */
function rankByUse(
  uses: ReadonlyMap<string, SkillUse> = new Map<string, SkillUse>(),
): ReadonlyMap<string, number> {
  return new Map(
    [...uses].map(([id, { count, lastUsedAt }]) => [
      id,
      Math.log2(1 + count) + Date.parse(lastUsedAt) / HALF_LIFE_MS,
    ]),
  );
}
