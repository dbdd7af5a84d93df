import {
  type AccessSettings,
  type IndexCache,
  IndexedLibrary,
  type LibraryOptions,
  LibrarySearch,
  searchStore,
} from "@skillhold/core/library";
import type { SkillEntry } from "@skillhold/protocol";
import type { Host } from "@skillhold/skill";
import type { RegistryContext } from "../record/registry-context.ts";
import { RegistryShelf } from "./registry-shelf.ts";
import { RegistryTexts } from "./registry-text.ts";
import type { HeldSkill } from "./shelved-skill.ts";

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
    return { has: (id) => this.#shelf.view().people.folderOff.has(id) };
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
