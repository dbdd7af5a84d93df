import { setImmediate } from "node:timers/promises";
import type { SkillEntry } from "@skillhold/protocol";
import { type SearchDocument, SearchIndex, snippet } from "../search/index.ts";
import type { SearchResult } from "./library.ts";
import type { ShelfView } from "./shelf.ts";

const DOCUMENTS_BETWEEN_RESTS = 64;
/** So many documents are waited for at a time, where reading one is waiting. */
const DOCUMENTS_AT_ONCE = 16;

/** What a search needs of a shelf: the text of a skill, by the hash of it. */
export interface SearchTexts {
  /** What the text is known by: as long as it stays the same, so does the document. */
  keyOf(entry: SkillEntry): string;
  /** Undefined when the text cannot be read any more. A promise only where there is something to wait for. */
  document(entry: SkillEntry): SearchDocument | undefined | Promise<SearchDocument | undefined>;
}

/** Where the index is kept between starts; both may fail quietly, for it can always be made again. */
export interface SearchStore {
  load(): Uint8Array | undefined;
  save(bytes: Uint8Array): void;
}

/**
 * The search of a library: built on the first question, brought up to date on each later one, and kept between
 * starts. A document is known by the hash of what it is made of, so that only what changed is read.
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

  /** `find` gives the entry that is there for the one who asks, of a skill by its id and the name it is searched under. */
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
    // Writing costs as much as all documents together: worth it after a build, and at the end for a few edits.
    if (this.#unsaved > index.size / 10) this.#save();
    return index;
  }

  /** Returns how many documents are new or other than before. */
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

/** An alternate is searched under the id of its skill, with more after it that no id has. */
function idOf(name: string): string {
  const end = name.indexOf(ALTERNATE);
  return end === -1 ? name : name.slice(0, end);
}

/** Stands between an id and what tells an alternate from the skill that counts. */
export const ALTERNATE = "@";

/** What a revision is searched under that only those have who are held to it. */
export function revisionName(name: string, revision: number | undefined): string {
  return `${name}${ALTERNATE}r${revision}`;
}
