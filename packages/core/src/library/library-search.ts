import { setImmediate } from "node:timers/promises";
import { type SearchDocument, SearchIndex, snippet } from "../search/index.ts";
import type { SearchResult } from "./library.ts";
import type { ShelfView } from "./shelf.ts";

const DOCUMENTS_BETWEEN_RESTS = 64;

/** What a search needs of a shelf: the text of a skill, by the hash of it. */
export interface SearchTexts {
  /** Undefined when the text cannot be read any more. */
  document(id: string): SearchDocument | undefined;
}

/** Where the index is kept between starts; both may fail quietly, for it can always be made again. */
export interface SearchStore {
  load(): Uint8Array | undefined;
  save(bytes: Uint8Array): void;
}

/**
 * The search of a library: built on the first question, brought up to date on each later one, and kept between
 * starts. A document is known by the hash of its SKILL.md, so that only what changed is read.
 */
export class LibrarySearch {
  readonly #texts: SearchTexts;
  readonly #store: SearchStore | undefined;
  #index: SearchIndex | undefined;
  #indexed: ShelfView | undefined;
  #unsaved = 0;
  #work: Promise<unknown> = Promise.resolve();

  constructor(texts: SearchTexts, store?: SearchStore) {
    this.#texts = texts;
    this.#store = store;
  }

  async search(
    view: ShelfView,
    query: string,
    accepts: (id: string) => boolean,
    limit: number,
  ): Promise<readonly SearchResult[]> {
    const index = await this.#upToDate(view);
    return index.search(query, { limit, accepts }).flatMap((hit) => {
      const entry = view.find(hit.id);
      if (entry === undefined) return [];
      const document = this.#texts.document(hit.id);
      const text =
        hit.fields.includes("description") || document === undefined ? entry.description : document.body;
      return [{ entry, hit, snippet: snippet(text, query).text }];
    });
  }

  close(): void {
    this.#save();
    this.#index = undefined;
    this.#indexed = undefined;
  }

  /** One update at a time; a question that comes meanwhile waits for it. */
  #upToDate(view: ShelfView): Promise<SearchIndex> {
    const work = this.#work.then(() => this.#update(view));
    // A failed update is told to the one who asked; the next one starts anew.
    this.#work = work.catch(() => {});
    return work;
  }

  async #update(view: ShelfView): Promise<SearchIndex> {
    const index = this.#index ?? this.#open();
    this.#index = index;
    if (this.#indexed === view) return index;
    let changes = 0;
    for (const { id, skillHash } of view.entries) {
      if (index.has(id, skillHash)) continue;
      const document = this.#texts.document(id);
      if (document === undefined) continue;
      index.upsert(document);
      changes += 1;
      if (changes % DOCUMENTS_BETWEEN_RESTS === 0) await setImmediate();
    }
    const gone = [...index.ids()].filter((id) => view.find(id) === undefined);
    for (const id of gone) index.remove(id);
    this.#indexed = view;
    this.#unsaved += changes + gone.length;
    // Writing costs as much as all documents together: worth it after a build, and at the end for a few edits.
    if (this.#unsaved > index.size / 10) this.#save();
    return index;
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
