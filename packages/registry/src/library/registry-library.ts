import {
  type AccessSettings,
  type IndexCache,
  IndexedLibrary,
  isSearchedText,
  type LibraryOptions,
  LibrarySearch,
  REFERENCE_BYTES,
  REFERENCE_FILES,
  type SearchTexts,
  type SkillFile,
  searchStore,
  TextKeeper,
  toDocument,
} from "@skillhold/core/library";
import type { SearchDocument } from "@skillhold/core/search";
import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { type Host, parseSkill } from "@skillhold/skill";
import type { RegistryContext } from "../record/registry-context.ts";
import { findSkillFile } from "../release/skill-file.ts";
import type { TreeReader } from "../release/tree-reader.ts";
import { RegistryShelf } from "./registry-shelf.ts";
import type { HeldSkill } from "./skill-map.ts";

export interface OpenRegistryLibraryOptions {
  readonly host: Host;
  /** The label of the registry among the sources of a library. */
  readonly label?: string;
  /** A folder for read-only copies of revisions, for readers that need a file system. */
  readonly copies?: string;
  readonly settings?: AccessSettings;
  /** Caches the search index between starts. */
  readonly cache?: IndexCache;
  /** Separates this store from others in the cache. Stores that share a name only slow each other down. */
  readonly name?: string;
  /** Report changes soon after they are committed, not only when the library is called. */
  readonly watch?: boolean;
  /** Receives errors of background work. */
  readonly onError?: (error: unknown) => void;
}

export interface DeletedSkill {
  readonly entry: SkillEntry;
  readonly held: HeldSkill;
}

/** A library of the skills in a registry. Every call sees all earlier commits of any process. */
export class RegistryLibrary extends IndexedLibrary {
  readonly #shelf: RegistryShelf;

  constructor(shelf: RegistryShelf, search: LibrarySearch, options: LibraryOptions) {
    super(shelf, search, options);
    this.#shelf = shelf;
  }

  /** The disabled folder skills as of the last call, for a folder library that is layered with this one. */
  get disabledFolders(): Pick<ReadonlySet<string>, "has"> {
    return { has: (id) => this.#shelf.view().settings.folderOff.has(id) };
  }

  /**
   * The stored data of a skill as of the last call; undefined for an entry of another source. Contract: the
   * caller checks access.
   */
  held(entry: Pick<SkillEntry, "id" | "source">): HeldSkill | undefined {
    return this.#shelf.findHeld(entry);
  }

  /** The deleted skills that can be restored, ordered by id. Contract: the caller filters by access. */
  async deleted(): Promise<readonly DeletedSkill[]> {
    const view = await this.#shelf.deleted();
    return view.entries.flatMap((entry) => {
      const held = view.findHeld(entry.id);
      return held === undefined ? [] : [{ entry, held }];
    });
  }

  /** Reads the store now and reports changes. */
  refresh(): Promise<void> {
    return this.#shelf.refresh();
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
  const search = new LibrarySearch(new RegistryTexts(shelf, limits), searchStore(cache, `registry:${name}`));
  if (options.watch === true) await shelf.watch();
  return new RegistryLibrary(shelf, search, { settings, limits, name });
}

/** About 2,000 skills of typical size. */
const KEPT_TEXT_BYTES = 16 * 1024 * 1024;

/** The search texts of a registry, read from its blobs on demand. */
class RegistryTexts implements SearchTexts {
  readonly #shelf: RegistryShelf;
  readonly #limits: Limits;
  /** Texts by their hash, kept for the snippets of search results. */
  readonly #kept = new TextKeeper(KEPT_TEXT_BYTES);

  constructor(shelf: RegistryShelf, limits: Limits) {
    this.#shelf = shelf;
    this.#limits = limits;
  }

  keyOf(entry: SkillEntry): string {
    return this.#shelf.textKey(entry);
  }

  /** A skill with damaged bytes is left out of the search; store failures are thrown. */
  async document(entry: SkillEntry): Promise<SearchDocument | undefined> {
    try {
      return await this.#read(entry);
    } catch (error) {
      if (error instanceof SkillError && error.code === "INTEGRITY_FAILED") return undefined;
      throw error;
    }
  }

  async #read(entry: SkillEntry): Promise<SearchDocument | undefined> {
    const { reader } = this.#shelf;
    const files = entry.treeHash === undefined ? [] : await reader.files(entry.treeHash);
    const file = findSkillFile(files);
    if (file === undefined) return undefined;
    const bytes = this.#kept.find(file.digest) ?? (await reader.bytes(file));
    this.#kept.keep(file.digest, bytes);
    const skill = parseSkill(bytes, this.#limits);
    const document = toDocument(entry, skill, await readReferences(files, reader));
    return { ...document, key: this.keyOf(entry) };
  }
}

async function readReferences(files: readonly SkillFile[], reader: TreeReader): Promise<string> {
  const texts: string[] = [];
  let budget = REFERENCE_BYTES;
  for (const file of files.filter(isReference).slice(0, REFERENCE_FILES)) {
    if (file.size > budget) continue;
    texts.push(new TextDecoder().decode(await reader.bytes(file)));
    budget -= file.size;
  }
  return texts.join("\n");
}

/** Only files directly in the folder: deeper files are rarely written to be read on their own. */
function isReference({ path }: SkillFile): boolean {
  return /^references\/[^/]+$/.test(path) && isSearchedText(path);
}
