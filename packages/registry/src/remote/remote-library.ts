import { normalizeRelative, rejectNonEmpty, writeCopy } from "@skillhold/core/bundle";
import {
  type Access,
  asResource,
  type ByteRange,
  decideAccess,
  type Explanation,
  type Library,
  type LibraryChange,
  type Resource,
  type SearchOptions,
  type SearchResult,
  type SkillContent,
  type SkillFile,
  type Viewer,
} from "@skillhold/core/library";
import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { parseSkill } from "@skillhold/skill";
import { ChangeWatch } from "./change-watch.ts";
import type { GatewayClient } from "./gateway-client.ts";
import {
  listExplanations,
  type RemoteSource,
  toExplanation,
  toRemoteEntry,
  toResult,
} from "./remote-entry.ts";
import { integrityFailed } from "./remote-failure.ts";
import type { FileRequest, RemoteFileReader } from "./remote-files.ts";
import { type RemoteList, RemoteLists } from "./remote-list.ts";
import { type RemoteTree, RemoteTrees } from "./remote-tree.ts";
import { GATEWAYS_RUNTIME, type ViewerQuery, viewerQuery } from "./viewer-query.ts";

export interface RemoteParts {
  readonly client: GatewayClient;
  readonly files: RemoteFileReader;
  readonly source: RemoteSource;
  readonly limits: Limits;
  /** Receives errors of background work. */
  readonly onError: (error: unknown) => void;
}

/** How often a skill that changes while it is read is read again. */
const TRIES = 3;
const MOST_HITS = 1000;
const MOST_QUERY = 1000;

/**
 * The skills of a gateway. The gateway decides access on every call; the viewer's own limits and this
 * machine's requirements apply on top. Without the gateway there are no skills, because no answer comes from
 * earlier state.
 */
export class RemoteLibrary implements Library {
  readonly #parts: RemoteParts;
  readonly #lists: RemoteLists;
  readonly #trees: RemoteTrees;
  readonly #listeners = new Set<(change: LibraryChange) => void>();
  #watch: ChangeWatch | undefined;

  constructor(parts: RemoteParts) {
    this.#parts = parts;
    const { client, source, limits } = parts;
    this.#lists = new RemoteLists({ client, source, limits, onChange: (change) => this.#notify(change) });
    this.#trees = new RemoteTrees(client, limits);
  }

  /** The source label of the skills. */
  get source(): string {
    return this.#parts.source.label;
  }

  /** The entries that the viewer last saw; empty before the first call. */
  lastSeen(viewer: Viewer): readonly SkillEntry[] {
    return (this.#lists.last(viewerQuery(viewer))?.entries ?? []).filter((entry) => isThere(entry, viewer));
  }

  async list(viewer: Viewer): Promise<readonly SkillEntry[]> {
    const { entries } = await this.#look(viewer);
    return entries.filter((entry) => isThere(entry, viewer));
  }

  async find(viewer: Viewer, id: string): Promise<SkillEntry | undefined> {
    const entry = (await this.#look(viewer)).byId.get(id);
    return entry !== undefined && isThere(entry, viewer) ? entry : undefined;
  }

  async search(viewer: Viewer, query: string, options: SearchOptions = {}): Promise<readonly SearchResult[]> {
    await this.#watch?.started;
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

  async read(viewer: Viewer, id: string): Promise<SkillContent> {
    return await this.#reading(viewer, id, (opened) => this.#readContent(opened));
  }

  async files(viewer: Viewer, id: string): Promise<readonly SkillFile[]> {
    return (await this.#open(viewer, id)).tree.files;
  }

  async resource(viewer: Viewer, id: string, path: string, range: ByteRange = {}): Promise<Resource> {
    return await this.#reading(viewer, id, async (opened) => {
      const { start, length } = this.#checkRange(range);
      const wanted = normalizeRelative(path, this.#parts.limits);
      const file = opened.tree.files.find((each) => each.path === wanted);
      if (file === undefined) throw noFile(path);
      const bytes = await this.#parts.files.read(opened, file);
      const { size, digest } = file;
      const { treeHash } = opened.tree;
      return asResource(path, start, {
        bytes: bytes.subarray(start, start + length),
        size,
        digest,
        treeHash,
      });
    });
  }

  /** All files are fetched and verified before the first one is written. */
  async copy(viewer: Viewer, id: string, folder: string): Promise<SkillContent> {
    const [content, contents] = await this.#reading(viewer, id, async (opened) => {
      rejectNonEmpty(folder);
      const contents = await this.#parts.files.readAll(opened);
      return [await this.#readContent(opened), contents] as const;
    });
    const made = new Set([folder]);
    for (const [file, bytes] of contents) writeCopy(folder, file, bytes, made);
    return content;
  }

  async explain(viewer: Viewer, id?: string): Promise<readonly Explanation[]> {
    const { byId } = await this.#look(viewer);
    const rows = await listExplanations(viewerQuery(viewer), this.#parts);
    const wanted = rows.filter((each) => id === undefined || each.id === id);
    return wanted.map((each) => {
      const entry = each.state === "visible" ? byId.get(each.id) : undefined;
      return toExplanation(each, this.source, entry && decide(entry, viewer));
    });
  }

  /** Changes are relative to what viewers saw. Calls after this one wait for the first refresh. */
  onChange(listener: (change: LibraryChange) => void): () => void {
    // Allows the same function to listen twice.
    const own = (change: LibraryChange) => listener(change);
    this.#listeners.add(own);
    const { client, limits, onError } = this.#parts;
    this.#watch ??= new ChangeWatch({ client, limits, refresh: () => this.#lists.refresh(), onError });
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size === 0) this.#stopWatching();
    };
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    this.#stopWatching();
    this.#parts.client.close();
  }

  #stopWatching(): void {
    this.#watch?.stop();
    this.#watch = undefined;
  }

  /** A failing listener does not stop the others. */
  #notify(change: LibraryChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#parts.onError(error);
      }
    }
  }

  async #look(viewer: Viewer): Promise<RemoteList> {
    await this.#watch?.started;
    return await this.#lists.get(viewerQuery(viewer));
  }

  async #get(viewer: Viewer, id: string): Promise<SkillEntry> {
    const entry = await this.find(viewer, id);
    if (entry === undefined) throw notFound(id);
    return entry;
  }

  /** The skill and its files in one consistent state. */
  async #open(viewer: Viewer, id: string): Promise<Opened> {
    const query = viewerQuery(viewer);
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const entry = await this.#get(viewer, id);
      const tree = await this.#trees.find(entry, query).catch((error: unknown) => {
        throw isMissing(error) ? notFound(id) : error;
      });
      if (tree !== undefined) return { id, entry, tree, viewer: query };
    }
    throw integrityFailed(`The file list of ${id} does not match the gateway's entry.`, { id });
  }

  /**
   * Reads a skill again if it changed after it was listed. If its entry is unchanged, the mismatch is an
   * error.
   */
  async #reading<T>(viewer: Viewer, id: string, work: (opened: Opened) => Promise<T>): Promise<T> {
    let last: string | undefined;
    for (let attempt = 1; ; attempt += 1) {
      const opened = await this.#open(viewer, id);
      try {
        return await work(opened);
      } catch (error) {
        const isPassing = error instanceof SkillError && error.code === "INTEGRITY_FAILED";
        if (!isPassing || attempt === TRIES || opened.tree.treeHash === last) throw error;
        last = opened.tree.treeHash;
      }
    }
  }

  async #readContent(opened: Opened): Promise<SkillContent> {
    const { id, entry, tree } = opened;
    const { limits, files } = this.#parts;
    if (tree.skillFile.size > limits.skillFileBytes)
      throw new SkillError(
        "LIMIT_EXCEEDED",
        `The SKILL.md of ${id} is larger than the limit skillFileBytes (${limits.skillFileBytes} bytes).`,
        {
          details: { id, limit: "skillFileBytes", max: limits.skillFileBytes },
        },
      );
    const { isReadable, body, frontmatter } = parseSkill(await files.read(opened, tree.skillFile), limits);
    if (!isReadable) throw new SkillError("SKILL_INVALID", `The SKILL.md of ${id} cannot be read.`);
    return {
      entry,
      body,
      frontmatter,
      treeHash: tree.treeHash,
      skillHash: tree.skillFile.digest,
      files: tree.files,
      folder: undefined,
      isLastGood: false,
    };
  }

  async #searchFor(viewer: Viewer, q: string, limit: number) {
    const { client, source } = this.#parts;
    const query = { ...viewerQuery(viewer), q, limit: String(limit) };
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

  #checkRange({ start = 0, length }: ByteRange): Required<ByteRange> {
    const { resourceReadBytes } = this.#parts.limits;
    const most = Math.min(length ?? resourceReadBytes, resourceReadBytes);
    if (Number.isSafeInteger(start) && Number.isSafeInteger(most) && start >= 0 && most >= 1)
      return { start, length: most };
    throw new SkillError("USAGE", "The range is invalid. Start at 0 or more and read at least 1 byte.");
  }
}

interface Opened extends FileRequest {
  readonly entry: SkillEntry;
  readonly tree: RemoteTree;
  readonly viewer: ViewerQuery;
}

/** The local part of the access decision; the gateway has checked ownership and grants. */
function decide(entry: SkillEntry, viewer: Viewer): Access {
  if (viewer.runtime !== GATEWAYS_RUNTIME) return decideAccess(entry, viewer);
  return decideAccess(entry, { ...viewer, runtime: entry.runtime[0] ?? GATEWAYS_RUNTIME });
}

function isThere(entry: SkillEntry, viewer: Viewer): boolean {
  return decide(entry, viewer).isVisible;
}

/** Removed after it was listed. */
function isMissing(error: unknown): boolean {
  const codes: readonly string[] = ["SKILL_NOT_FOUND", "REVISION_NOT_FOUND"];
  return error instanceof SkillError && codes.includes(error.code);
}

function notFound(id: string): SkillError {
  return new SkillError("SKILL_NOT_FOUND", `There is no skill ${id}.`, { details: { id } });
}

function noFile(path: string): SkillError {
  return new SkillError("PATH_NOT_FOUND", `The skill has no file ${path}.`, {
    hint: "Read the skill to list its files.",
  });
}
