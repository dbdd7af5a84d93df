import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import { type AccessSettings, decideAccess } from "./access.ts";
import type {
  ByteRange,
  Explanation,
  Library,
  LibraryChange,
  Resource,
  SearchOptions,
  SearchResult,
  SkillContent,
  SkillFile,
} from "./library.ts";
import type { LibrarySearch } from "./library-search.ts";
import { asResource } from "./resource.ts";
import type { OpenBundle, Shelf } from "./shelf.ts";
import type { Viewer } from "./viewer.ts";

export interface LibraryOptions {
  readonly settings?: AccessSettings;
  readonly limits?: Limits;
}

/** A library over a shelf: the gate, the search and the shapes that every kind of library shares. */
export class IndexedLibrary implements Library {
  readonly #shelf: Shelf;
  readonly #search: LibrarySearch;
  readonly #settings: AccessSettings;
  readonly #limits: Limits;

  constructor(
    shelf: Shelf,
    search: LibrarySearch,
    { settings = {}, limits = defaultLimits }: LibraryOptions = {},
  ) {
    this.#shelf = shelf;
    this.#search = search;
    this.#settings = settings;
    this.#limits = limits;
  }

  async list(viewer: Viewer): Promise<readonly SkillEntry[]> {
    return this.#shelf.view().entries.filter((entry) => this.#isVisible(entry, viewer));
  }

  async find(viewer: Viewer, id: string): Promise<SkillEntry | undefined> {
    const entry = this.#shelf.view().find(id);
    return entry !== undefined && this.#isVisible(entry, viewer) ? entry : undefined;
  }

  async search(viewer: Viewer, query: string, options: SearchOptions = {}): Promise<readonly SearchResult[]> {
    const view = this.#shelf.view();
    const accepts = (id: string) => {
      const entry = view.find(id);
      return entry !== undefined && this.#isVisible(entry, viewer);
    };
    return await this.#search.search(
      view,
      query,
      accepts,
      Math.min(options.limit ?? 5, this.#limits.searchHits),
    );
  }

  async read(viewer: Viewer, id: string): Promise<SkillContent> {
    const { skill, ...opened } = await this.#open(viewer, id);
    return { body: skill.body, frontmatter: skill.frontmatter, ...opened };
  }

  async files(viewer: Viewer, id: string): Promise<readonly SkillFile[]> {
    return (await this.#open(viewer, id)).files;
  }

  async resource(viewer: Viewer, id: string, path: string, range: ByteRange = {}): Promise<Resource> {
    const entry = await this.#get(viewer, id);
    const start = range.start ?? 0;
    const length = Math.min(range.length ?? this.#limits.resourceReadBytes, this.#limits.resourceReadBytes);
    if (!Number.isSafeInteger(start) || !Number.isSafeInteger(length) || start < 0 || length < 1) {
      throw new SkillError("USAGE", "A range is a start from 0 and a length from 1, both whole numbers.");
    }
    const part = await this.#shelf.readFile(entry, path, { start, length });
    if (!this.#isVisible(part.entry, viewer)) throw notFound(id);
    return asResource(path, start, part);
  }

  async copy(viewer: Viewer, id: string, folder: string): Promise<SkillContent> {
    const content = await this.read(viewer, id);
    const treeHash = await this.#shelf.copy(content.entry, folder);
    // What was read and what was written must be one state; what lies in the folder is then not to be used.
    if (treeHash !== content.treeHash)
      throw new SkillError("IO_FAILED", `The skill ${id} changed while it was copied.`, {
        hint: "Try again when nothing writes to it.",
      });
    return content;
  }

  async explain(viewer: Viewer, id?: string): Promise<readonly Explanation[]> {
    const view = this.#shelf.view();
    const all = [
      ...view.entries.map((entry) => this.#explainEntry(entry, viewer)),
      ...view.shadowed.map(({ id, path, source, by }): Explanation => {
        const message = `Another skill of this id counts: ${by.path} (${by.source}).`;
        return { id, path, source, state: "shadowed", reason: "shadowed", message, warnings: [] };
      }),
      ...view.invalid.map(({ id, path, source, diagnostics }): Explanation => {
        const errors = diagnostics
          .filter(({ severity }) => severity === "error")
          .map(({ message }) => message);
        return {
          id,
          path,
          source,
          state: "invalid",
          reason: "invalid",
          message: errors.join(" "),
          warnings: [],
        };
      }),
    ];
    return id === undefined ? all : all.filter((explanation) => explanation.id === id);
  }

  onChange(listener: (change: LibraryChange) => void): () => void {
    return this.#shelf.onChange(listener);
  }

  async close(): Promise<void> {
    this.#search.close();
    await this.#shelf.close();
  }

  #isVisible(entry: SkillEntry, viewer: Viewer): boolean {
    return decideAccess(entry, viewer, this.#settings).isVisible;
  }

  #explainEntry(entry: SkillEntry, viewer: Viewer): Explanation {
    const { isVisible, reason, message, warnings } = decideAccess(entry, viewer, this.#settings);
    const { id, path, source } = entry;
    return { id, path, source, state: isVisible ? "visible" : "hidden", reason, message, warnings };
  }

  /** What was read may be newer than what was indexed, and then it is that which must be visible. */
  async #open(viewer: Viewer, id: string): Promise<OpenBundle> {
    const opened = await this.#shelf.open(await this.#get(viewer, id));
    if (!this.#isVisible(opened.entry, viewer)) throw notFound(id);
    return opened;
  }

  async #get(viewer: Viewer, id: string): Promise<SkillEntry> {
    const entry = await this.find(viewer, id);
    if (entry === undefined) throw notFound(id);
    return entry;
  }
}

function notFound(id: string): SkillError {
  return new SkillError("SKILL_NOT_FOUND", `There is no skill ${id}.`, { details: { id } });
}
