import {
  decideAccess,
  type Explanation,
  IndexedLibrary,
  type LibraryOptions,
  LibrarySearch,
  type SearchOptions,
  type SearchResult,
  type Viewer,
} from "@skillhold/core/library";
import type { SkillEntry } from "@skillhold/protocol";
import type { SkillError } from "@skillhold/protocol/error";
import { listExplanations, toExplanation, toRemoteEntry, toResult } from "./remote-entry.ts";
import { type RemoteParts, RemoteShelf } from "./remote-shelf.ts";
import { queryFor } from "./viewer-query.ts";

const MOST_HITS = 1000;
const MOST_QUERY = 1000;

/**
 * The skills of a gateway. The gateway decides access for one identity; the viewer's own limits and this machine's
 * requirements apply on top. The gateway ranks a search and explains its decisions, unless the library is a layer.
 */
export class RemoteLibrary extends IndexedLibrary {
  readonly #parts: RemoteParts;
  readonly #shelf: RemoteShelf;

  constructor(parts: RemoteParts, options: LibraryOptions) {
    const shelf = new RemoteShelf(parts);
    super(shelf, new LibrarySearch(shelf), options);
    this.#parts = parts;
    this.#shelf = shelf;
  }

  /** The source label of the skills. */
  get source(): string {
    return this.#parts.source.label;
  }

  /** Why the skills of an optional gateway are missing; undefined while it answers. */
  get problem(): SkillError | undefined {
    return this.#shelf.problem;
  }

  override async search(
    viewer: Viewer,
    query: string,
    options: SearchOptions = {},
  ): Promise<readonly SearchResult[]> {
    const { searchHits, catalogueSkills } = this.#parts.limits;
    const limit = Math.min(options.limit ?? 5, Math.max(searchHits, catalogueSkills), MOST_HITS);
    // Gateways reject longer queries, and the beginning is the most relevant part.
    const text = query.slice(0, MOST_QUERY).toWellFormed();
    if (text.trim() === "" || limit < 1) return [];
    const some = await this.#searchFor(viewer, text, limit);
    if (some.results.length >= limit || !some.isCut) return some.results.slice(0, limit);
    // Hits that are hidden here took the place of visible ones, so ask for more.
    return (await this.#searchFor(viewer, text, MOST_HITS)).results.slice(0, limit);
  }

  override async explain(viewer: Viewer, id?: string): Promise<readonly Explanation[]> {
    await this.refresh();
    const rows = await listExplanations(queryFor(viewer, this.#parts.viewAs), this.#parts);
    const wanted = rows.filter((each) => id === undefined || each.id === id);
    return wanted.map((each) => {
      const entry = each.state === "visible" ? this.view().find(each.id) : undefined;
      return toExplanation(each, this.source, entry && decideAccess(entry, viewer));
    });
  }

  async #searchFor(viewer: Viewer, q: string, limit: number) {
    const { client, source, viewAs } = this.#parts;
    const query = { ...queryFor(viewer, viewAs), q, limit: String(limit) };
    const { hits } = (await client.ask("searchSkills", { query })).data;
    const found = new Map<string, (typeof hits)[number]>();
    for (const hit of hits) if (!found.has(hit.row.entry.id)) found.set(hit.row.entry.id, hit);
    const hasCopies = hits.some(({ hit }) => hit.copies.length > 0);
    const there = new Set(hasCopies ? (await this.list(viewer)).map(({ id }) => id as string) : []);
    const results = [...found.values()].flatMap((each) => {
      const entry = toRemoteEntry(each.row, source);
      if (entry === undefined || !isThere(entry, viewer)) return [];
      return [toResult(each, entry, (id) => there.has(id))];
    });
    return { results, isCut: hits.length >= limit };
  }
}

/** The local part of the access decision; the gateway has checked ownership and grants. */
function isThere(entry: SkillEntry, viewer: Viewer): boolean {
  return decideAccess(entry, viewer).isVisible;
}
