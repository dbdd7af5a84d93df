import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import { type Access, type AccessSettings, decideAccess, isOpenTo } from "./access.ts";
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
import { type LibrarySearch, revisionName, type SearchTexts } from "./library-search.ts";
import { asResource } from "./resource.ts";
import type { OpenBundle, Shelf, ShelfView } from "./shelf.ts";
import { asRecorded, type Viewer } from "./viewer.ts";

export interface LibraryOptions {
  readonly settings?: AccessSettings;
  readonly limits?: Limits;
  /** What tells it from others in a cache; two that share a name only cost each other time. */
  readonly name?: string;
}

/** What a library is made of, for one that lies over several. */
export interface Layer {
  readonly shelf: Shelf;
  readonly texts: SearchTexts;
  readonly settings: AccessSettings;
  readonly name: string;
}

/** A library over a shelf: the gate, the search and the shapes that every kind of library shares. */
export class IndexedLibrary implements Library {
  readonly #shelf: Shelf;
  readonly #search: LibrarySearch;
  readonly #settings: AccessSettings;
  readonly #limits: Limits;
  readonly #name: string;

  constructor(
    shelf: Shelf,
    search: LibrarySearch,
    { settings = {}, limits = defaultLimits, name = "" }: LibraryOptions = {},
  ) {
    this.#shelf = shelf;
    this.#search = search;
    this.#settings = settings;
    this.#limits = limits;
    this.#name = name;
  }

  get layer(): Layer {
    return { shelf: this.#shelf, texts: this.#search.texts, settings: this.#settings, name: this.#name };
  }

  async list(viewer: Viewer): Promise<readonly SkillEntry[]> {
    const look = await this.#look(viewer);
    return look.view.entries.flatMap((entry) => this.#show(entry, look) ?? []);
  }

  async find(viewer: Viewer, id: string): Promise<SkillEntry | undefined> {
    return this.#find(id, await this.#look(viewer));
  }

  async search(viewer: Viewer, query: string, options: SearchOptions = {}): Promise<readonly SearchResult[]> {
    const look = await this.#look(viewer);
    const find = (id: string, name: string) => this.#findNamed(id, name, look);
    const limit = Math.min(options.limit ?? 5, this.#limits.searchHits);
    return await this.#search.search(look.all, query, find, limit);
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
    if (!this.#isStillVisible(part.entry, viewer)) throw notFound(id);
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
    const look = await this.#look(viewer);
    const { view } = look;
    const all = [
      ...view.entries.map((entry) => this.#explainEntry(entry, look)),
      ...view.shadowed.map(({ id, path, source, by }): Explanation => {
        const message = `Another skill with this id is used instead: ${by.path} (${by.source}).`;
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

  /**
   * What the gate says of every skill that counts, or of those of these ids, in one look. Contract: what is not visible
   * is told to nobody but those who manage it.
   */
  async survey(viewer: Viewer, ids?: readonly string[]): Promise<readonly Access[]> {
    const look = await this.#look(viewer);
    const { view } = look;
    const entries = ids === undefined ? view.entries : ids.flatMap((id) => view.find(id) ?? []);
    return entries.map((entry) => this.#decide(entry, look));
  }

  onChange(listener: (change: LibraryChange) => void): () => void {
    return this.#shelf.onChange(listener);
  }

  async close(): Promise<void> {
    this.#search.close();
    await this.#shelf.close();
  }

  /** What is decided here is decided on the newest state; when that cannot be had, nothing is shown. */
  async #look(viewer: Viewer): Promise<Look> {
    await this.#shelf.refresh();
    return this.#lookNow(viewer);
  }

  #lookNow(viewer: Viewer): Look {
    const all = this.#shelf.view();
    const agent = viewer.agent === undefined ? undefined : all.agent?.(viewer.agent);
    const asker = asRecorded(viewer, agent);
    const view = all.openTo?.((entry, standing) => isOpenTo(entry, asker, standing)) ?? all;
    return { viewer: asker, all, view };
  }

  #find(id: string, look: Look): SkillEntry | undefined {
    const entry = look.view.find(id);
    return entry === undefined ? undefined : this.#show(entry, look);
  }

  /** A name that another skill of the id, or another revision, is searched under would tell what that one says. */
  #findNamed(id: string, name: string, look: Look): SkillEntry | undefined {
    const own = look.view.searchName?.(id) ?? id;
    if (!name.startsWith(own)) return undefined;
    const current = look.view.find(id);
    const entry = current && this.#show(current, look);
    if (entry === undefined) return undefined;
    return name === (entry.revision === current?.revision ? own : revisionName(own, entry.revision))
      ? entry
      : undefined;
  }

  #show(entry: SkillEntry, look: Look): SkillEntry | undefined {
    const access = this.#decide(entry, look);
    return access.isVisible ? access.entry : undefined;
  }

  #decide(entry: SkillEntry, { viewer, view }: Look): Access {
    return decideAccess(entry, viewer, this.#settings, view.standing(entry.id));
  }

  /** Asked after reading, with the state that others may have brought up to date meanwhile. */
  #isStillVisible(entry: SkillEntry, viewer: Viewer): boolean {
    const look = this.#lookNow(viewer);
    const current = look.view.find(entry.id);
    // One of another source was not asked about here: what is known is of the one that counts.
    if (current?.source !== entry.source) return false;
    return this.#decide(entry.revision === current.revision ? entry : current, look).isVisible;
  }

  #explainEntry(entry: SkillEntry, look: Look): Explanation {
    const { isVisible, reason, message, warnings } = this.#decide(entry, look);
    const { id, path, source } = entry;
    return { id, path, source, state: isVisible ? "visible" : "hidden", reason, message, warnings };
  }

  /** What was read may be newer than what was indexed, and then it is that which must be visible. */
  async #open(viewer: Viewer, id: string): Promise<OpenBundle> {
    const opened = await this.#shelf.open(await this.#get(viewer, id));
    if (!this.#isStillVisible(opened.entry, viewer)) throw notFound(id);
    return opened;
  }

  async #get(viewer: Viewer, id: string): Promise<SkillEntry> {
    const entry = await this.find(viewer, id);
    if (entry === undefined) throw notFound(id);
    return entry;
  }
}

/** One look at a shelf for one viewer. */
interface Look {
  readonly viewer: Viewer;
  readonly all: ShelfView;
  /** The same, as it is for this viewer. */
  readonly view: ShelfView;
}

function notFound(id: string): SkillError {
  return new SkillError("SKILL_NOT_FOUND", `There is no skill ${id}.`, { details: { id } });
}
