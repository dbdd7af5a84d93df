import {
  type AccessSettings,
  type DisabledIds,
  EVALUATION_BYTES,
  type IndexCache,
  IndexedLibrary,
  type LibraryOptions,
  LibrarySearch,
  REFERENCE_BYTES,
  type SearchedTexts,
  type SearchStore,
  type SearchTexts,
  type SkillFile,
  searchStore,
  selectSearchedFiles,
  TextCache,
  toDocument,
} from "@skillhold/core/library";
import type { SearchDocument } from "@skillhold/core/search";
import { type ModelPorts, searchModels } from "@skillhold/core/semantic";
import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { type Host, type ParsedSkill, parseSkill } from "@skillhold/skill";
import type { RegistryContext } from "../record/registry-context.ts";
import { findSkillFile } from "../release/skill-file.ts";
import type { TreeReader } from "../release/tree-reader.ts";
import { RegistryShelf } from "./registry-shelf.ts";
import type { RegistryView } from "./registry-view.ts";
import type { SkillSnapshot } from "./skill-map.ts";

export interface OpenRegistryLibraryOptions {
  readonly host: Host;
  /** The label of the registry among the sources of a library. */
  readonly label?: string;
  /** A folder for read-only copies of revisions, for readers that need a file system. */
  readonly copies?: string;
  readonly settings?: AccessSettings;
  /** Caches the search index between starts. A PostgreSQL registry keeps its index itself, for all gateways. */
  readonly cache?: IndexCache;
  /** Separates this store from others in the cache. Stores that share a name only slow each other down. */
  readonly name?: string;
  /** Models that the search uses in addition to words. Vectors are kept in the store. */
  readonly models?: ModelPorts | undefined;
  /** Report changes soon after they are committed, not only when the library is called. */
  readonly watch?: boolean;
  /** Receives errors of background work. */
  readonly onError?: (error: unknown) => void;
}

export interface DeletedSkill {
  readonly entry: SkillEntry;
  readonly held: SkillSnapshot;
}

/** A library of the skills in a registry. Every call sees all earlier commits of any process. */
export class RegistryLibrary extends IndexedLibrary {
  readonly #shelf: RegistryShelf;

  constructor(shelf: RegistryShelf, search: LibrarySearch, options: LibraryOptions) {
    super(shelf, search, options);
    this.#shelf = shelf;
  }

  /** The disabled folder skills as of the last call, for a folder library that is layered with this one. */
  get disabledFolders(): DisabledIds {
    const shelf = this.#shelf;
    return {
      has: (id) => shelf.view().settings.folderOff.has(id),
      get state() {
        return shelf.view().settings.folderOff;
      },
    };
  }

  /**
   * The stored data of a skill in a view, by default as of the last call; undefined for an entry of another source.
   * Contract: the caller checks access.
   */
  findSnapshot(entry: Pick<SkillEntry, "id" | "source">, view = this.view()): SkillSnapshot | undefined {
    return this.#shelf.findSnapshot(entry, view);
  }

  override view(): RegistryView {
    return this.#shelf.view();
  }

  /** The deleted skills that can be restored, ordered by id. Contract: the caller filters by access. */
  async deleted(): Promise<readonly DeletedSkill[]> {
    const view = await this.#shelf.deleted();
    return view.entries.flatMap((entry) => {
      const held = view.findSnapshot(entry.id);
      return held === undefined ? [] : [{ entry, held }];
    });
  }
}

/** Opens the skills of a registry as a library. Closing the library does not close the store. */
export async function openRegistryLibrary(
  options: OpenRegistryLibraryOptions,
  context: RegistryContext,
): Promise<RegistryLibrary> {
  const { host, label = "registry", copies, settings = {}, cache, name = label, onError } = options;
  const { limits } = context;
  const shelf = await RegistryShelf.open({ host, label, copies, onError }, context);
  const models = searchModels(options.models, context.store.vectors);
  const isShared = context.store.engine === "postgres";
  const kept = isShared ? sharedIndex(context, onError) : searchStore(cache, `registry:${name}`);
  const search = new LibrarySearch(new RegistryTexts(shelf, limits), kept, models);
  if (options.watch === true) await shelf.watch();
  return new RegistryLibrary(shelf, search, { settings, limits, name });
}

/** A failure only means that the index is built again. */
function sharedIndex({ store }: RegistryContext, onError: (error: unknown) => void = () => {}): SearchStore {
  return {
    load: () => store.searchIndex.load().catch((error) => void onError(error)),
    save: (bytes) => store.searchIndex.save(bytes).catch(onError),
  };
}

/** About 2,000 skills of typical size. */
const KEPT_TEXT_BYTES = 16 * 1024 * 1024;

/** The search texts of a registry, read from its blobs on demand. */
class RegistryTexts implements SearchTexts {
  readonly #shelf: RegistryShelf;
  readonly #limits: Limits;
  /** The instructions by tree hash, kept for the snippets of search results. */
  readonly #bodies = new TextCache(KEPT_TEXT_BYTES);

  constructor(shelf: RegistryShelf, limits: Limits) {
    this.#shelf = shelf;
    this.#limits = limits;
  }

  keyOf(entry: SkillEntry): string {
    return this.#shelf.textKey(entry);
  }

  document(entry: SkillEntry): Promise<SearchDocument | undefined> {
    return this.#read(entry).catch(withoutDamaged);
  }

  async body(entry: SkillEntry): Promise<string | undefined> {
    const { treeHash } = entry;
    const kept = treeHash && this.#bodies.find(treeHash);
    if (kept !== undefined) return new TextDecoder("utf-8", { ignoreBOM: true }).decode(kept);
    const body = (await this.#readSkill(entry).catch(withoutDamaged))?.skill.body;
    if (treeHash !== undefined && body !== undefined)
      this.#bodies.keep(treeHash, new TextEncoder().encode(body));
    return body;
  }

  async #read(entry: SkillEntry): Promise<SearchDocument | undefined> {
    const read = await this.#readSkill(entry);
    if (read === undefined) return undefined;
    const document = toDocument(entry, read.skill, await readTexts(read.files, this.#shelf.reader));
    return { ...document, key: this.keyOf(entry) };
  }

  async #readSkill(
    entry: SkillEntry,
  ): Promise<{ readonly skill: ParsedSkill; readonly files: readonly SkillFile[] } | undefined> {
    const { reader } = this.#shelf;
    const files = entry.treeHash === undefined ? [] : await reader.files(entry.treeHash);
    const file = findSkillFile(files);
    if (file === undefined) return undefined;
    return { skill: parseSkill(await reader.bytes(file), this.#limits), files };
  }
}

/** Damaged bytes take a skill out of the search; every other failure goes to the caller. */
function withoutDamaged(error: unknown): undefined {
  if (error instanceof SkillError && error.code === "INTEGRITY_FAILED") return undefined;
  throw error;
}

async function readTexts(files: readonly SkillFile[], reader: TreeReader): Promise<SearchedTexts> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const { references, evaluations } = selectSearchedFiles([...byPath.keys()]);
  const read = async (path: string, most: number) => {
    const file = byPath.get(path);
    const bytes = file === undefined ? new Uint8Array() : await reader.bytes(file);
    return new TextDecoder().decode(bytes.subarray(0, most));
  };
  const readAll = async (paths: readonly string[], most: number) => {
    const texts: string[] = [];
    for (const path of paths) texts.push(await read(path, most));
    return texts;
  };
  return {
    references: await readAll(references, REFERENCE_BYTES),
    evaluations: await readAll(evaluations, EVALUATION_BYTES),
  };
}
