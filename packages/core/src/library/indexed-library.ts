import { setImmediate } from "node:timers/promises";
import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import type { SearchState } from "../semantic/search-models.ts";
import { type Access, type AccessSettings, currentSettings, decideAccess, isOpenTo } from "./access.ts";
import type {
  ByteRange,
  ContentOptions,
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
import type { GateState } from "./sight-cache.ts";
import { type Viewer, withAgentRecord } from "./viewer.ts";

export interface LibraryOptions {
  readonly settings?: AccessSettings;
  readonly limits?: Limits;
  /** The name in a cache; two libraries with the same name only cost each other time. */
  readonly name?: string;
}

export interface ExplanationPage {
  /** The id before the page; undefined for the first page. */
  readonly after: string | undefined;
  readonly limit: number;
  accepts(explanation: Explanation): boolean;
}

/** The parts of a library, for a library layered over it. */
export interface Layer {
  readonly shelf: Shelf;
  readonly texts: SearchTexts;
  readonly settings: AccessSettings;
  readonly name: string;
}

/** Not exported from the package, so that only layers reach the shelf of a library. */
export const LAYER: unique symbol = Symbol("layer");

const DEFAULT_HITS = 5;
const DECISIONS_BETWEEN_RESTS = 10_000;

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

  /** For libraries that are layered over this one, in this folder only. */
  get [LAYER](): Layer {
    return { shelf: this.#shelf, texts: this.#search.texts, settings: this.#settings, name: this.#name };
  }

  async list(viewer: Viewer): Promise<readonly SkillEntry[]> {
    const { viewer: asker, view } = await this.#look(viewer);
    const decided = await this.#decideAll({ view, settings: currentSettings(this.#settings) }, asker);
    return decided.flatMap(({ isVisible, entry }) => (isVisible ? [entry] : []));
  }

  async find(viewer: Viewer, id: string): Promise<SkillEntry | undefined> {
    return this.#find(id, await this.#look(viewer));
  }

  async search(viewer: Viewer, query: string, options: SearchOptions = {}): Promise<readonly SearchResult[]> {
    const look = await this.#look(viewer);
    const asker = {
      key: JSON.stringify(look.viewer),
      settings: () => currentSettings(this.#settings),
      find: (id: string, name: string) => this.#findNamed(id, name, look),
    };
    // A catalogue ranks all its places, and may have more of them than a search has hits.
    const most = Math.max(this.#limits.searchHits, this.#limits.catalogueSkills);
    const limit = Math.min(options.limit ?? DEFAULT_HITS, most);
    return await this.#search.search(look.all, query, asker, { ...options, limit });
  }

  async read(viewer: Viewer, id: string, options?: ContentOptions): Promise<SkillContent> {
    const { skill, ...opened } = await this.#open(viewer, id, options);
    return { body: skill.body, frontmatter: skill.frontmatter, ...opened };
  }

  async files(viewer: Viewer, id: string): Promise<readonly SkillFile[]> {
    return (await this.#open(viewer, id, { hasFolder: false })).files;
  }

  async resource(viewer: Viewer, id: string, path: string, range: ByteRange = {}): Promise<Resource> {
    const entry = await this.#get(viewer, id);
    const start = range.start ?? 0;
    const length = Math.min(range.length ?? this.#limits.resourceReadBytes, this.#limits.resourceReadBytes);
    if (!Number.isSafeInteger(start) || !Number.isSafeInteger(length) || start < 0 || length < 1) {
      throw new SkillError(
        "USAGE",
        "The range is invalid: `start` must be an integer of 0 or more, and `length` an integer of 1 or more.",
      );
    }
    const part = await this.#shelf.readFile(entry, path, { start, length });
    if (!this.#isStillVisible(part.entry, viewer)) throw notFound(id);
    return asResource(path, start, part);
  }

  async copy(viewer: Viewer, id: string, folder: string): Promise<SkillContent> {
    const content = await this.read(viewer, id, { hasFolder: false });
    const treeHash = await this.#shelf.copy(content.entry, folder);
    // The read and the written state must be the same; otherwise the copy is unusable.
    if (treeHash !== content.treeHash)
      throw new SkillError("IO_FAILED", `The skill ${id} changed during the copy.`, {
        hint: "Retry when no program writes to the skill.",
      });
    return content;
  }

  async explain(viewer: Viewer, id?: string): Promise<readonly Explanation[]> {
    const look = await this.#look(viewer);
    const { view } = look;
    if (id === undefined) return [...(await this.#explainCurrent(look)), ...explainOthers(view)];
    const entry = view.find(id);
    const others = explainOthers(view).filter((each) => each.id === id);
    return entry === undefined ? others : [this.#explainEntry(entry, look), ...others];
  }

  /** Like `explain`, for a page of the current skills: in order of their ids, those of them that the page accepts. */
  async explainPage(viewer: Viewer, page: ExplanationPage): Promise<readonly Explanation[]> {
    return await this.#explainCurrent(await this.#look(viewer), page);
  }

  /** Like `explain`, without the current skills. */
  async explainOthers(viewer: Viewer): Promise<readonly Explanation[]> {
    return explainOthers((await this.#look(viewer)).view);
  }

  /**
   * The access of every current skill, or of the given ids, at one moment. Contract: hidden skills are disclosed only
   * to viewers who manage them.
   */
  async survey(viewer: Viewer, ids?: readonly string[]): Promise<readonly Access[]> {
    await this.refresh();
    const state = { view: this.view(), settings: currentSettings(this.#settings) };
    return ids === undefined ? await this.surveyAllIn(state, viewer) : this.surveyIn(state, viewer, ids);
  }

  /** Like `survey`, in an earlier state of the gate. */
  surveyIn(state: Omit<GateState, "viewer">, viewer: Viewer, ids: readonly string[]): readonly Access[] {
    const { viewer: asker, view } = lookAt(state.view, viewer);
    const entries = ids.flatMap((id) => view.find(id) ?? []);
    return entries.map((entry) => decideAccess(entry, asker, state.settings, view.standing(entry.id)));
  }

  /** The access of every skill in an earlier state of the gate. */
  async surveyAllIn(state: Omit<GateState, "viewer">, viewer: Viewer): Promise<readonly Access[]> {
    const { viewer: asker, view } = lookAt(state.view, viewer);
    return await this.#decideAll({ ...state, view }, asker);
  }

  /** Takes up all changes before the call, and reports them. */
  async refresh(): Promise<void> {
    await this.#shelf.refresh();
  }

  /**
   * Every candidate as of the last call; each update replaces the view. Contract: the caller decides what it discloses.
   */
  view(): ShelfView {
    return this.#shelf.view();
  }

  /** The state in which the gate decides for a viewer, as of the last call: in an equal state it decides the same. */
  gateState(viewer: Viewer): GateState {
    const { viewer: asker, all: view } = lookAt(this.view(), viewer);
    return { viewer: JSON.stringify(asker), settings: currentSettings(this.#settings), view };
  }

  onChange(listener: (change: LibraryChange) => void): () => void {
    return this.#shelf.onChange(listener);
  }

  /** The state of the search, over all skills. */
  get searchState(): SearchState {
    return this.#search.state;
  }

  /** Brings the search up to date with the shelf, vectors included. */
  async prepareSearch(): Promise<SearchState> {
    await this.#shelf.refresh();
    return await this.#search.prepare(this.#shelf.view());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async close(): Promise<void> {
    await this.#search.close();
    await this.#shelf.close();
  }

  /** Decides about all skills of one moment, with pauses between thousands. */
  async #decideAll({ view, settings }: Omit<GateState, "viewer">, asker: Viewer): Promise<readonly Access[]> {
    const decided: Access[] = [];
    for (const entry of view.entries) {
      decided.push(decideAccess(entry, asker, settings, view.standing(entry.id)));
      if (decided.length % DECISIONS_BETWEEN_RESTS === 0) await setImmediate();
    }
    return decided;
  }

  /** Decides on the newest state. If the refresh fails, no skill is shown. */
  async #look(viewer: Viewer): Promise<Look> {
    await this.#shelf.refresh();
    return lookAt(this.view(), viewer);
  }

  #find(id: string, look: Look): SkillEntry | undefined {
    const entry = look.view.find(id);
    return entry === undefined ? undefined : this.#show(entry, look);
  }

  /** The search name of another candidate or revision would disclose its text. */
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

  /** Checked after the read, on the newest state. */
  #isStillVisible(entry: SkillEntry, viewer: Viewer): boolean {
    const look = lookAt(this.view(), viewer);
    const current = look.view.find(entry.id);
    // A skill from another source has no decision here; the record is for the current one.
    if (current?.source !== entry.source) return false;
    return this.#decide(entry.revision === current.revision ? entry : current, look).isVisible;
  }

  /** With pauses between thousands, because a viewer may know few of them. */
  async #explainCurrent(look: Look, page?: ExplanationPage): Promise<readonly Explanation[]> {
    const { entries } = look.view;
    const found: Explanation[] = [];
    const start = page?.after === undefined ? 0 : placeAfter(entries, page.after);
    for (let at = start; at < entries.length && found.length < (page?.limit ?? entries.length); at += 1) {
      const entry = entries[at];
      const explanation = entry && this.#explainEntry(entry, look);
      if (explanation !== undefined && page?.accepts(explanation) !== false) found.push(explanation);
      if ((at + 1) % DECISIONS_BETWEEN_RESTS === 0) await setImmediate();
    }
    return found;
  }

  #explainEntry(entry: SkillEntry, look: Look): Explanation {
    const { isVisible, reason, message, warnings } = this.#decide(entry, look);
    const { id, path, source } = entry;
    const broken = look.view.broken?.(id);
    const all =
      broken === undefined
        ? warnings
        : [...warnings, `its SKILL.md is invalid, so the last valid text is used (${broken})`];
    return { id, path, source, state: isVisible ? "visible" : "hidden", reason, message, warnings: all };
  }

  /** The read skill may be newer than the index, so its visibility is checked again. */
  async #open(viewer: Viewer, id: string, options?: ContentOptions): Promise<OpenBundle> {
    const opened = await this.#shelf.open(await this.#get(viewer, id), options);
    if (!this.#isStillVisible(opened.entry, viewer)) throw notFound(id);
    return opened;
  }

  async #get(viewer: Viewer, id: string): Promise<SkillEntry> {
    const entry = await this.find(viewer, id);
    if (entry === undefined) throw notFound(id);
    return entry;
  }
}

/** The state of a shelf for one viewer. */
interface Look {
  readonly viewer: Viewer;
  readonly all: ShelfView;
  /** The same view, for this viewer. */
  readonly view: ShelfView;
}

function explainOthers({ shadowed, invalid }: ShelfView): readonly Explanation[] {
  return [
    ...shadowed.map(({ id, path, source, by }): Explanation => {
      const message = `Shadowed by another skill with this id:  ${by.path} (${by.source}).`;
      return { id, path, source, state: "shadowed", reason: "shadowed", message, warnings: [] };
    }),
    ...invalid.map(({ id, path, source, diagnostics }): Explanation => {
      const errors = diagnostics.filter(({ severity }) => severity === "error");
      const message = errors.map((each) => each.message).join(" ");
      return { id, path, source, state: "invalid", reason: "invalid", message, warnings: [] };
    }),
  ];
}

/** The position of the first entry whose id comes after `id`. */
function placeAfter(entries: readonly SkillEntry[], id: string): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.id ?? "") <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}

function lookAt(all: ShelfView, viewer: Viewer): Look {
  const agent = viewer.agent === undefined ? undefined : all.agent?.(viewer.agent);
  const asker = withAgentRecord(viewer, agent);
  const view = all.openTo?.((entry, standing) => isOpenTo(entry, asker, standing)) ?? all;
  return { viewer: asker, all, view };
}

function notFound(id: string): SkillError {
  return new SkillError("SKILL_NOT_FOUND", `There is no skill ${id}.`, { details: { id } });
}
