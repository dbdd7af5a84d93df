import { setImmediate } from "node:timers/promises";
import type { SkillEntry } from "@skillhold/protocol";
import { SerialQueue } from "../async/index.ts";
import {
  type RankingOptions,
  type SearchDocument,
  type SearchHit,
  SearchIndex,
  type Sight,
  snippet,
} from "../search/index.ts";
import type { RerankCache } from "../semantic/rerank-cache.ts";
import type { SearchModels, SearchState } from "../semantic/search-models.ts";
import type { AccessSettings } from "./access.ts";
import { freeBytes } from "./free-bytes.ts";
import type { SearchOptions, SearchResult } from "./library.ts";
import type { ShelfView } from "./shelf.ts";
import { SightCache } from "./sight-cache.ts";

/** The number of documents read concurrently, which a store reads together. */
const DOCUMENTS_AT_ONCE = 32;
/** Sorting so many documents takes less than 50 ms. */
const DOCUMENTS_BETWEEN_MERGES = 1000;
const SEGMENTS_PER_MERGE = 16;
const SLICE_MS = 10;

/** So many of the best hits are judged by a reranker. */
const RERANKED = 20;
const EXCERPT_LENGTH = 1500;
const USE_WEIGHT = 0.1;
/** So many uses count in full. */
const FULL_USE = 1000;
/** More than any score of words and vectors. */
const RERANK_WEIGHT = 100;

/** The texts of a shelf's skills, for a search. */
export interface SearchTexts {
  /** Changes with every change of the document. */
  keyOf(entry: SkillEntry): string;
  /** Undefined when the text cannot be read any more. A promise only where reading has to wait. */
  document(entry: SkillEntry): SearchDocument | undefined | Promise<SearchDocument | undefined>;
  /** The instructions alone, for a snippet. */
  body(entry: SkillEntry): string | undefined | Promise<string | undefined>;
}

/** The viewer of a search. */
export interface SearchAsker {
  /** All that the gate reads of the viewer. */
  readonly key: string;
  settings(): AccessSettings;
  /** The entry that the viewer gets of a skill, by its id and the name of its document. */
  find(id: string, name: string): SkillEntry | undefined;
}

/** Stores the index between starts. Both may fail silently, because the index can be rebuilt. */
export interface SearchStore {
  load(): Promise<Uint8Array | undefined>;
  /** Contract: keeps no reference to the bytes. */
  save(bytes: Uint8Array): Promise<void>;
}

/**
 * The search of a library: built by the first query, updated by later ones and stored between starts. Documents are
 * keyed by content hash, so only changed texts are read.
 */
export class LibrarySearch {
  readonly texts: SearchTexts;
  readonly #store: SearchStore | undefined;
  readonly #models: SearchModels;
  #index: SearchIndex | undefined;
  #indexed: ShelfView | undefined;
  #alternates: readonly string[] = [];
  readonly #sights = new SightCache();
  #unsaved = 0;
  #isClosed = false;
  /** One update at a time; a search that comes meanwhile waits for it. */
  readonly #turns = new SerialQueue();

  constructor(texts: SearchTexts, store?: SearchStore, models: SearchModels = {}) {
    this.texts = texts;
    this.#store = store;
    this.#models = models;
  }

  /** Answers from the documents that `asker` may see, as if there were no others. */
  async search(
    view: ShelfView,
    query: string,
    asker: SearchAsker,
    { limit, hasSnippets = true, uses }: SearchOptions & { readonly limit: number },
  ): Promise<readonly SearchResult[]> {
    const { vectors, reranker } = this.#models;
    if (vectors !== undefined) await this.#turns.run(() => this.#update(view));
    const semantic = await vectors?.query(query);
    const isReranked = reranker !== undefined && hasSnippets && query.trim() !== "";
    const most = isReranked ? Math.max(limit, RERANKED) : limit;
    // Updates and ranks in one turn, so that no other update comes between the two.
    const hits = await this.#turns.run(async () => {
      const index = await this.#update(view);
      const sight = this.#sightOf(asker, view, index);
      await inSlices(index.sightSteps(sight));
      return index.search(query, { limit: most, sight, semantic, ...priorOf(uses) });
    });
    const ordered = isReranked ? await this.#rerank(query, hits, asker, reranker) : hits;
    const found = ordered.slice(0, limit).map(async ({ id: name, ...hit }) => {
      const entry = asker.find(idOf(name), name);
      if (entry === undefined) return [];
      if (!hasSnippets) return [{ entry, hit: { ...hit, id: entry.id }, snippet: "" }];
      const body = hit.fields.includes("description") ? undefined : await this.texts.body(entry);
      const { text } = snippet(body ?? entry.description, query);
      return [{ entry, hit: { ...hit, id: entry.id }, snippet: text }];
    });
    return (await Promise.all(found)).flat();
  }

  get state(): SearchState {
    return {
      documents: this.#index?.size ?? 0,
      vectors: this.#models.vectors?.state,
      reranker: this.#models.reranker?.state,
    };
  }

  /** Brings index and vectors up to date, and waits for the vectors. */
  async prepare(view: ShelfView): Promise<SearchState> {
    await this.#turns.run(() => this.#update(view));
    await this.#models.vectors?.settled();
    return this.state;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#models.vectors?.close();
    // The next start reads a few documents faster than this one writes the whole index.
    const isWorthIt = this.#unsaved * 100 >= (this.#index?.size ?? 0);
    if (isWorthIt) await this.#turns.run(() => this.#save());
    this.#index = undefined;
    this.#indexed = undefined;
    this.#sights.clear();
  }

  #sightOf(asker: SearchAsker, view: ShelfView, index: SearchIndex): Sight {
    const accepts = (name: string) => asker.find(idOf(name), name) !== undefined;
    const state = { viewer: asker.key, settings: asker.settings(), view };
    return this.#sights.get(state, accepts, this.#alternates, index);
  }

  /** The best hits in the order of the model, or as they are when it fails. */
  async #rerank(
    query: string,
    hits: readonly SearchHit[],
    asker: SearchAsker,
    reranker: RerankCache,
  ): Promise<readonly SearchHit[]> {
    const judged = hits.slice(0, RERANKED);
    const cards = await Promise.all(
      judged.map(async ({ id: name }) => {
        const entry = asker.find(idOf(name), name);
        const body = entry === undefined ? "" : ((await this.texts.body(entry)) ?? "");
        return {
          name: entry?.name ?? "",
          description: entry?.description ?? "",
          excerpt: body.slice(0, EXCERPT_LENGTH),
        };
      }),
    );
    const scores = await reranker.scores(query, cards);
    if (scores === undefined) return hits;
    const order = judged.map((hit, at) => ({ hit, score: scores[at] ?? 0 }));
    const best = order.toSorted((a, b) => b.score - a.score).map(({ hit }, place) => asReranked(hit, place));
    return [...best, ...hits.slice(RERANKED)];
  }

  async #update(view: ShelfView): Promise<SearchIndex> {
    const index = this.#index ?? (await this.#open());
    this.#index = index;
    if (this.#indexed === view) return index;
    const since = this.#indexed === undefined ? undefined : view.since?.(this.#indexed);
    const entries = since === undefined ? view.entries : [...since].flatMap((id) => view.find(id) ?? []);
    const alternates = view.alternates ?? new Map<string, SkillEntry>();
    const named = [...entries.map((entry) => [entry.id, entry] as const), ...alternates];
    const changes = await this.#takeIn(named, index);
    const names = since === undefined ? index.eachId() : [...since, ...this.#alternates];
    const isGone = (name: string) => view.find(name) === undefined && !alternates.has(name);
    const gone = (await inSlices(filterSteps(names, isGone))).filter((name) => index.remove(name));
    this.#alternates = [...alternates.keys()];
    await this.#models.vectors?.update(textsToEmbed(named, gone, view));
    this.#indexed = view;
    this.#unsaved += changes + gone.length;
    // Writing costs as much as all documents, so it happens after a build and on close.
    if (this.#unsaved > index.size / 10) await this.#save();
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
    let restAt = performance.now() + SLICE_MS;
    for (const [name, entry] of entries) {
      // The next start continues with the documents that were read.
      if (this.#isClosed) break;
      if (performance.now() > restAt) {
        await setImmediate();
        restAt = performance.now() + SLICE_MS;
      }
      if (index.has(name, this.texts.keyOf(entry))) continue;
      const document = this.texts.document(entry);
      if (document instanceof Promise) awaited.push(document.then((read) => ({ name, document: read })));
      else add({ name, document });
      if (awaited.length >= DOCUMENTS_AT_ONCE) {
        for (const each of await Promise.all(awaited)) add(each);
        awaited = [];
      }
      read += 1;
      if (read % DOCUMENTS_BETWEEN_MERGES === 0) await inSlices(index.settleSteps(SEGMENTS_PER_MERGE));
    }
    for (const each of await Promise.all(awaited)) add(each);
    await inSlices(index.settleSteps());
    return changes;
  }

  async #save(): Promise<void> {
    if (this.#unsaved > 0 && this.#index !== undefined && this.#store !== undefined) {
      const bytes = await inSlices(this.#index.snapshotSteps());
      await this.#store.save(bytes);
      freeBytes(bytes);
    }
    this.#unsaved = 0;
  }

  async #open(): Promise<SearchIndex> {
    const bytes = await this.#store?.load();
    const loaded = bytes === undefined ? undefined : await inSlices(SearchIndex.loadSteps(bytes));
    return loaded ?? SearchIndex.empty();
  }
}

function* filterSteps(
  names: Iterable<string>,
  accepts: (name: string) => boolean,
): Generator<void, string[]> {
  const accepted: string[] = [];
  for (const name of names) {
    if (accepts(name)) accepted.push(name);
    yield;
  }
  return accepted;
}

/** Runs steps with pauses, so that other work gets its turn. */
async function inSlices<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const until = performance.now() + SLICE_MS;
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (performance.now() < until);
    await setImmediate();
  }
}

/**
 * At most `USE_WEIGHT`, and by the logarithm, so that use decides only between equals. A share depends on the uses of one
 * skill alone: the uses of a skill that the viewer cannot see change no score.
 */
function priorOf(uses: ReadonlyMap<string, number> | undefined): Pick<RankingOptions, "prior"> {
  if (uses === undefined) return {};
  const share = (count: number) => (count > 0 ? Math.min(1, Math.log1p(count) / Math.log1p(FULL_USE)) : 0);
  return { prior: (name) => USE_WEIGHT * share(uses.get(idOf(name)) ?? 0) };
}

/** The hit with its place above all scores of words and vectors. */
function asReranked(hit: SearchHit, place: number): SearchHit {
  const rerank = (RERANKED - place) / RERANKED;
  return { ...hit, score: hit.score + RERANK_WEIGHT * rerank, parts: { ...hit.parts, rerank } };
}

/** Name and description of the skills that are in use; undefined for a document without a vector. */
function textsToEmbed(
  named: readonly NamedEntry[],
  gone: readonly string[],
  view: ShelfView,
): ReadonlyMap<string, string | undefined> {
  const texts = new Map<string, string | undefined>(gone.map((name) => [name, undefined]));
  for (const [name, entry] of named) {
    const standing = view.standing(entry.id);
    const isUsed = standing === undefined || (standing.isEnabled && standing.status === "active");
    texts.set(name, isUsed ? `${entry.name}\n${entry.description}` : undefined);
  }
  return texts;
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
