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
  /** What the registry is called among the sources of a library. */
  readonly label?: string;
  /** A folder in which revisions are laid out, read-only, for readers that have a file system. */
  readonly copies?: string;
  readonly settings?: AccessSettings;
  /** Makes the first search of the next start cheap. */
  readonly cache?: IndexCache;
  /** What tells this store from others in the cache; two that share it only cost each other time. */
  readonly name?: string;
  /** Tell changes soon after they were made, and not only when someone calls. */
  readonly watch?: boolean;
  /** Told of what fails while nobody waits for it. */
  readonly onError?: (error: unknown) => void;
}

export interface DeletedSkill {
  readonly entry: SkillEntry;
  readonly held: HeldSkill;
}

/** A library of the skills in a registry. Every call sees what was committed before it, by whichever process. */
export class RegistryLibrary extends IndexedLibrary {
  readonly #shelf: RegistryShelf;

  constructor(shelf: RegistryShelf, search: LibrarySearch, options: LibraryOptions) {
    super(shelf, search, options);
    this.#shelf = shelf;
  }

  /**
   * The skills in folders that someone switched off, as of the last call: the setting of a library of folders that lies
   * over or under this one.
   */
  get disabledFolders(): Pick<ReadonlySet<string>, "has"> {
    return { has: (id) => this.#shelf.view().settings.folderOff.has(id) };
  }

  /**
   * What the registry keeps of a skill beside its text, as of the last call; undefined for an entry of another source.
   * Whoever is told manages it, or may see it.
   */
  held(entry: Pick<SkillEntry, "id" | "source">): HeldSkill | undefined {
    return this.#shelf.findHeld(entry);
  }

  /** What was deleted and can be restored, ordered by id, for those who manage it. */
  async deleted(): Promise<readonly DeletedSkill[]> {
    const view = await this.#shelf.deleted();
    return view.entries.flatMap((entry) => {
      const held = view.findHeld(entry.id);
      return held === undefined ? [] : [{ entry, held }];
    });
  }

  /** Looks at the store now, and tells what has changed. */
  refresh(): Promise<void> {
    return this.#shelf.refresh();
  }
}

/** Opens the skills of a registry as a library. The store stays open when the library is closed. */
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

/** Texts of about 2,000 skills of the usual size. */
const KEPT_TEXT_BYTES = 16 * 1024 * 1024;

/** The texts of a registry, read out of its blobs when the search index wants them. */
class RegistryTexts implements SearchTexts {
  readonly #shelf: RegistryShelf;
  readonly #limits: Limits;
  /** Texts that were read, for the snippets of what is found: their names are their hashes. */
  readonly #kept = new TextKeeper(KEPT_TEXT_BYTES);

  constructor(shelf: RegistryShelf, limits: Limits) {
    this.#shelf = shelf;
    this.#limits = limits;
  }

  keyOf(entry: SkillEntry): string {
    return this.#shelf.textKey(entry);
  }

  /** Damaged bytes take a skill out of the search; that the store cannot be asked is told to whoever searches. */
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

/** Those that lie in the folder itself: what is deeper is seldom written to be read by itself. */
function isReference({ path }: SkillFile): boolean {
  return /^references\/[^/]+$/.test(path) && isSearchedText(path);
}
