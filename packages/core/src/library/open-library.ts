import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import type { Host } from "@skillhold/skill";
import type { IndexCache } from "../index-cache.ts";
import { type ModelPorts, searchModels } from "../semantic/search-models.ts";
import { cacheVectors, type VectorStore } from "../semantic/vector-store.ts";
import type { DiscoveryProblem } from "../source/find-skills.ts";
import { orderSources, type Precedence, type Source } from "../source/source.ts";
import type { AccessSettings } from "./access.ts";
import { FolderShelf } from "./folder-shelf.ts";
import { FolderTexts } from "./folder-text.ts";
import { IndexedLibrary, LAYER, type LibraryOptions } from "./indexed-library.ts";
import { LayeredShelf } from "./layered-shelf.ts";
import type { LibraryChange } from "./library.ts";
import type { LibraryPorts } from "./library-audit.ts";
import { LibrarySearch } from "./library-search.ts";
import { LiveReload, type LiveReloadOptions } from "./live-reload.ts";
import { MemoryShelf, type MemorySkill } from "./memory-shelf.ts";
import { searchStore } from "./search-store.ts";
import type { ShelfView } from "./shelf.ts";

export interface OpenLibraryOptions {
  readonly sources: readonly Source[];
  readonly host: Host;
  readonly precedence?: Precedence;
  readonly limits?: Limits;
  readonly settings?: AccessSettings;
  /** Speeds up the next start. */
  readonly cache?: IndexCache;
  /**
   * Records new and shadowed skills; the cache of an earlier start determines which are new. The default clock is the
   * machine's.
   */
  readonly ports?: LibraryPorts;
  /** Cancels the opening. */
  readonly signal?: AbortSignal;
  /** Called periodically during the first search with the counts so far. */
  readonly onProgress?: (seen: { readonly folders: number; readonly skills: number }) => void;
  /** Models that the search uses in addition to words. */
  readonly models?: ModelPorts | undefined;
  /** Reload on edits: true, or the options. */
  readonly watch?: boolean | LiveReloadOptions;
}

/** A library of skills in folders. */
export class FolderLibrary extends IndexedLibrary {
  readonly #shelf: FolderShelf;
  readonly #live: LiveReload | undefined;

  constructor(
    shelf: FolderShelf,
    search: LibrarySearch,
    options: LibraryOptions,
    live: LiveReload | undefined,
  ) {
    super(shelf, search, options);
    this.#shelf = shelf;
    this.#live = live;
  }

  /** Scans the folders now; returns the change, or undefined. */
  reload(): Promise<LibraryChange | undefined> {
    return this.#shelf.reload(true);
  }

  /** The internal state for `doctor`: every candidate of every source. */
  inspect(): FolderState {
    const scanned = this.#shelf.scanned();
    const sources = scanned.map(({ source, scan }) => ({
      source,
      skills: scan.rows.length,
      problems: scan.problems,
    }));
    return { view: this.#shelf.view(), sources, mode: this.#live?.mode ?? "off" };
  }

  override async close(): Promise<void> {
    this.#live?.close();
    await super.close();
  }
}

/** A library of skills in memory. */
export class MemoryLibrary extends IndexedLibrary {
  readonly #shelf: MemoryShelf;

  constructor(shelf: MemoryShelf, options: LibraryOptions, models?: ModelPorts) {
    super(shelf, new LibrarySearch(shelf, undefined, searchModels(models, undefined)), options);
    this.#shelf = shelf;
  }

  /** Replaces all skills. */
  replace(skills: readonly MemorySkill[]): void {
    this.#shelf.replace(skills);
  }
}

export interface FolderState {
  readonly view: ShelfView;
  readonly sources: readonly SourceState[];
  readonly mode: "watch" | "poll" | "off";
}

export interface SourceState {
  readonly source: Source;
  readonly skills: number;
  readonly problems: readonly DiscoveryProblem[];
}

/** Opens the skills in folders as one library; precedence decides between equal ids. */
export async function openLibrary(options: OpenLibraryOptions): Promise<FolderLibrary> {
  const { host, limits = defaultLimits, cache, settings = {}, watch = false } = options;
  const sources = orderSources(options.sources, options.precedence ?? "local");
  const { ports = { clock: { now: () => new Date() } } } = options;
  const shelf = await FolderShelf.open(
    { sources, host, limits, cache, ports, keepsTexts: watch !== false },
    options,
  );
  const name = sources.map(({ root }) => root).join("\n");
  const models = searchModels(options.models, cache && cacheVectors(cache));
  const search = new LibrarySearch(new FolderTexts(shelf, limits), searchStore(cache, name), models);
  const live = watch === false ? undefined : new LiveReload(shelf, watch === true ? {} : watch);
  return new FolderLibrary(shelf, search, { settings, limits, name }, live);
}

/** Opens skills in memory. */
export function openMemoryLibrary(
  skills: readonly MemorySkill[],
  options: Pick<OpenLibraryOptions, "host" | "limits" | "settings" | "models">,
): MemoryLibrary {
  const { host, limits = defaultLimits, settings = {}, models } = options;
  return new MemoryLibrary(new MemoryShelf(skills, host, limits), { settings, limits }, models);
}

export interface LayeredLibraryOptions extends LibraryOptions {
  readonly precedence?: Precedence;
  /** Speeds up the first search of the next start. */
  readonly cache?: IndexCache;
  /** Models that the search uses beside words. */
  readonly models?: ModelPorts | undefined;
  /** Where vectors are kept, if not in the cache. */
  readonly vectors?: VectorStore | undefined;
}

/** Several libraries as one. Use and close this one; the layers keep their own behavior. */
export class LayeredLibrary extends IndexedLibrary {
  readonly #layers: readonly IndexedLibrary[];

  constructor(
    layers: readonly IndexedLibrary[],
    shelf: LayeredShelf,
    search: LibrarySearch,
    options: LibraryOptions,
  ) {
    super(shelf, search, options);
    this.#layers = layers;
  }

  override async close(): Promise<void> {
    await super.close();
    for (const layer of this.#layers) await layer.close();
  }
}

/**
 * Layers libraries. Precedence decides between equal ids, then the order. A skill that one layer disables is disabled.
 *
 * Contract: folder libraries were opened with the same precedence.
 */
export function openLayeredLibrary(
  libraries: readonly IndexedLibrary[],
  options: LayeredLibraryOptions = {},
): LayeredLibrary {
  const { precedence = "local", cache, limits = defaultLimits } = options;
  const layers = libraries.map((library) => library[LAYER]);
  const name = options.name ?? `layers\n${layers.map((layer) => layer.name).join("\n")}`;
  const switches = [options.settings, ...layers.map(({ settings }) => settings)].flatMap(
    (settings) => settings?.disabled ?? [],
  );
  const disabled = { has: (id: string) => switches.some((ids) => ids.has(id)) };
  const shelf = new LayeredShelf(layers, precedence);
  const vectors = options.vectors ?? (cache && cacheVectors(cache));
  const search = new LibrarySearch(shelf, searchStore(cache, name), searchModels(options.models, vectors));
  const settings = { ...options.settings, ...(switches.length === 0 ? {} : { disabled }) };
  return new LayeredLibrary(libraries, shelf, search, { settings, limits, name });
}
