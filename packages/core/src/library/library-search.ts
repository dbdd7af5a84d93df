import { setImmediate } from "node:timers/promises";
import type { SkillEntry } from "@skillhold/protocol";
import { type SearchDocument, SearchIndex, snippet } from "../search/index.ts";
import type { SearchResult } from "./library.ts";
import type { ShelfView } from "./shelf.ts";

const DOCUMENTS_BETWEEN_RESTS = 64;
/** The number of documents read concurrently. */
const DOCUMENTS_AT_ONCE = 16;

/** The texts of a shelf for the search, by hash. */
export interface SearchTexts {
  /** The key of the text: while it is unchanged, so is the document. */
  keyOf(entry: SkillEntry): string;
  /** Undefined when the text cannot be read. A promise only when the read is asynchronous. */
  document(entry: SkillEntry): SearchDocument | undefined | Promise<SearchDocument | undefined>;
}

/** Stores the index between starts. Both may fail silently, because the index can be rebuilt. */
export interface SearchStore {
  load(): Uint8Array | undefined;
  save(bytes: Uint8Array): void;
}

/**
 * The search of a library: built by the first query, updated by later ones and stored between starts. Documents are
 * keyed by content hash, so only changed texts are read.
 */
export class LibrarySearch {
  readonly texts: SearchTexts;
  readonly #store: SearchStore | undefined;
  #index: SearchIndex | undefined;
  #indexed: ShelfView | undefined;
  #alternates: readonly string[] = [];
  #unsaved = 0;
  #work: Promise<unknown> = Promise.resolve();

  constructor(texts: SearchTexts, store?: SearchStore) {
    this.texts = texts;
    this.#store = store;
  }

  /** `find` returns the visible entry of an id and a search name. */
  async search(
    view: ShelfView,
    query: string,
    find: (id: string, name: string) => SkillEntry | undefined,
    limit: number,
  ): Promise<readonly SearchResult[]> {
    const index = await this.#upToDate(view);
    const findNamed = (name: string) => find(idOf(name), name);
    const accepts = (name: string) => findNamed(name) !== undefined;
    const found = index.search(query, { limit, accepts }).map(async ({ id: name, ...hit }) => {
      const entry = findNamed(name);
      if (entry === undefined) return [];
      const document = hit.fields.includes("description") ? undefined : await this.texts.document(entry);
      const { text } = snippet(document?.body ?? entry.description, query);
      return [{ entry, hit: { ...hit, id: entry.id }, snippet: text }];
    });
    return (await Promise.all(found)).flat();
  }

  close(): void {
    this.#save();
    this.#index = undefined;
    this.#indexed = undefined;
  }

  /** Updates run one at a time; concurrent queries wait. */
  #upToDate(view: ShelfView): Promise<SearchIndex> {
    const work = this.#work.then(() => this.#update(view));
    // The caller gets the failure; the next query starts a new update.
    this.#work = work.catch(() => {});
    return work;
  }

  async #update(view: ShelfView): Promise<SearchIndex> {
    const index = this.#index ?? this.#open();
    this.#index = index;
    if (this.#indexed === view) return index;
    const since = this.#indexed === undefined ? undefined : view.since?.(this.#indexed);
    const entries = since === undefined ? view.entries : [...since].flatMap((id) => view.find(id) ?? []);
    const alternates = view.alternates ?? new Map<string, SkillEntry>();
    const named = [...entries.map((entry) => [entry.id, entry] as const), ...alternates];
    const changes = await this.#takeIn(named, index);
    const names = since === undefined ? index.ids() : [...since, ...this.#alternates];
    const isGone = (name: string) => view.find(name) === undefined && !alternates.has(name);
    const gone = [...names].filter((name) => isGone(name) && index.remove(name));
    this.#alternates = [...alternates.keys()];
    this.#indexed = view;
    this.#unsaved += changes + gone.length;
    // Writing costs as much as all documents, so it happens after a build and on close.
    if (this.#unsaved > index.size / 10) this.#save();
    return index;
  }

  /** Returns the number of new or changed documents. */
  async #takeIn(entries: readonly NamedEntry[], index: SearchIndex): Promise<number> {
    let changes = 0;
    const add = ({ name, document }: NamedDocument) => {
      if (document === undefined) return;
      index.upsert(document.id === name ? document : { ...document, id: name });
      changes += 1;
    };
    let read = 0;
    let awaited: Promise<NamedDocument>[] = [];
    for (const [name, entry] of entries) {
      if (index.has(name, this.texts.keyOf(entry))) continue;
      const document = this.texts.document(entry);
      if (document instanceof Promise) awaited.push(document.then((read) => ({ name, document: read })));
      else add({ name, document });
      if (awaited.length >= DOCUMENTS_AT_ONCE) {
        for (const each of await Promise.all(awaited)) add(each);
        awaited = [];
      }
      read += 1;
      if (read % DOCUMENTS_BETWEEN_RESTS === 0) await setImmediate();
    }
    for (const each of await Promise.all(awaited)) add(each);
    return changes;
  }

  #save(): void {
    if (this.#unsaved > 0 && this.#index !== undefined) this.#store?.save(this.#index.snapshot());
    this.#unsaved = 0;
  }

  #open(): SearchIndex {
    const bytes = this.#store?.load();
    return (bytes === undefined ? undefined : SearchIndex.load(bytes)) ?? SearchIndex.empty();
  }
}

type NamedEntry = readonly [name: string, entry: SkillEntry];

interface NamedDocument {
  readonly name: string;
  readonly document: SearchDocument | undefined;
}

/** An alternate is indexed under its skill's id with a suffix that no id can have. */
function idOf(name: string): string {
  const end = name.indexOf(ALTERNATE);
  return end === -1 ? name : name.slice(0, end);
}

/** Separates an id from the suffix of an alternate. */
export const ALTERNATE = "@";

/** The search name of a revision that only pinned viewers get. */
export function revisionName(name: string, revision: number | undefined): string {
  return `${name}${ALTERNATE}r${revision}`;
}
